/** What native libraries this process has, and what to do about those it has not. */
package dev.mininccl.bindings;
