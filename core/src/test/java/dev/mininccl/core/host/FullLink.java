package dev.mininccl.core.host;

import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;

/** Takes nothing, brings nothing; failed or not. */
class FullLink implements Link, SendLane, ReceiveLane {

    private final String failure;

    FullLink(String failure) {
        this.failure = failure;
    }

    @Override
    public String failure() {
        return failure;
    }

    @Override
    public SendLane send() {
        return this;
    }

    @Override
    public ReceiveLane receive() {
        return this;
    }

    @Override
    public String description() {
        return "full";
    }

    @Override
    public int slotBytes() {
        return 4096;
    }

    @Override
    public int depth() {
        return 2;
    }

    @Override
    public int referenceBytes() {
        return 0;
    }

    @Override
    public boolean offer(long address, int bytes, long fingerprint) {
        return false;
    }

    @Override
    public boolean offerReference(long address, int bytes, long fingerprint) {
        return false;
    }

    @Override
    public long offered() {
        return 0;
    }

    @Override
    public long released() {
        return 0;
    }

    @Override
    public boolean progress() {
        return false;
    }

    @Override
    public void expect(long destination, int bytes, long fingerprint) {
        // Whatever is expected never comes.
    }

    @Override
    public long poll() {
        return NOTHING;
    }

    @Override
    public void release() {
        throw new AssertionError("nothing came");
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
