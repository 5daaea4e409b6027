/** What another library provides to be measured by {@code mini-nccl perf --compare}, beside this one and in the same processes. */
package dev.mininccl.cli.peer;
