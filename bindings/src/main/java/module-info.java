/** Typed handles over native libraries; the only module that calls restricted methods. */
module dev.mininccl.bindings {
    exports dev.mininccl.bindings;
    exports dev.mininccl.bindings.cuda;
    exports dev.mininccl.bindings.ibverbs;
    exports dev.mininccl.bindings.posix;
}
