package dev.mininccl.transport.verbs;

import java.lang.foreign.MemorySegment;

/** Memory of a GPU that a device is to reach; tests have memory that stands for it. */
interface DirectMemory extends AutoCloseable {

    /** Where it begins, aligned to pages. */
    long address();

    /** Its size, whole pages. */
    long bytes();

    /** Why a way cannot work, whatever the RDMA device; empty if nothing is known against it. */
    String obstacle(GpuDirect.Way way);

    /** A descriptor of all of it, to be closed; throws if it cannot be exported. */
    int exportDmaBuf();

    /** The GPU's own copy from host memory, seen by every device when this returns. */
    void write(MemorySegment from);

    /** The GPU's own copy to host memory. */
    void read(MemorySegment to);

    /** What was written from outside must be read back before the GPU sees it: the driver cannot flush it. */
    boolean flushedByReading();

    /** Lets the GPU see what was written from outside; in words what that took. */
    String settle();

    @Override
    void close();
}
