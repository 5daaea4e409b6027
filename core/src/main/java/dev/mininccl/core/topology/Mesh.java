package dev.mininccl.core.topology;

import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.Windows;
import dev.mininccl.core.tuning.LaneTraits;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** All links of a rank, and the transports that made them. Closes both, links first. */
public final class Mesh implements AutoCloseable {

    private final List<Transport> transports;
    private final Link[][] links;
    private final LaneTraits traits;
    private final Transport sharing;
    private final String explanation;

    Mesh(List<Transport> transports, Link[][] links, LaneTraits traits, Transport sharing, String explanation) {
        this.transports = transports;
        this.links = links;
        this.traits = traits;
        this.sharing = sharing;
        this.explanation = explanation;
    }

    /** By channel, then by peer; this rank's own entries are {@code null}. */
    public Link[][] links() {
        return links;
    }

    /** What all lanes have in common. */
    public LaneTraits traits() {
        return traits;
    }

    /** Memory that all ranks can map, where one transport joins them all and offers it. */
    public Optional<Windows> windows() {
        return sharing == null ? Optional.empty() : sharing.windows();
    }

    /** For each pair which transport was chosen and why. */
    public String explanation() {
        return explanation;
    }

    /** Tells all transports which memory the coming operation sends from; see {@link Transport#announce}. */
    public void announce(MemorySegment in, MemorySegment out, long bytes) {
        for (int i = 0; i < transports.size(); i++) {
            transports.get(i).announce(in, out, bytes);
        }
    }

    /** Lets all transports give back what they hold of memory that is gone; see {@link Transport#withdraw}. */
    public void withdraw() {
        transports.forEach(Transport::withdraw);
    }

    /** The processors near the devices that serve a channel; none where its thread may stay anywhere. */
    public BitSet near(int channel) {
        BitSet processors = new BitSet();
        transports.forEach(transport -> processors.or(transport.near(channel)));
        return processors;
    }

    /** What the transports have counted so far, a line each. */
    public List<String> metrics() {
        return transports.stream()
                .map(Transport::metrics)
                .filter(line -> !line.isEmpty())
                .toList();
    }

    /** Idempotent. */
    @Override
    public void close() {
        for (Link[] channel : links) {
            for (Link link : channel) {
                if (link != null) {
                    link.close();
                }
            }
        }
        for (Transport transport : transports) {
            transport.close();
        }
    }
}
