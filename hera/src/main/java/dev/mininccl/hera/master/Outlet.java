package dev.mininccl.hera.master;

import java.nio.ByteBuffer;

/** The way to one peer. Neither method blocks or throws. */
interface Outlet {

    /** Queues an encoded message. The buffer is shared between outlets and never changed. */
    void send(ByteBuffer frame);

    /** Ends the connection once everything queued is out; what the peer still sends is ignored. */
    void finish();
}
