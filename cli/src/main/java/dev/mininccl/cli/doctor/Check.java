package dev.mininccl.cli.doctor;

/** Looks at one aspect of this machine or this process. Never throws for what it finds. */
@FunctionalInterface
interface Check {

    Finding find();
}
