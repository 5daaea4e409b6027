package dev.mininccl.core.topology;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A transport of one rank, as the others hear of it.
 *
 * @param name the transport's
 * @param preference its place in the order
 * @param address what peers need to reach it; empty where the rank does not have it
 * @param reason why the rank does not have it
 */
record TransportOffer(String name, int preference, byte[] address, String reason) {

    static final Comparator<TransportOffer> ORDER =
            Comparator.comparingInt(TransportOffer::preference).thenComparing(TransportOffer::name);

    static byte[] encode(List<TransportOffer> offers) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(offers.size());
            for (TransportOffer offer : offers) {
                out.writeUTF(offer.name);
                out.writeInt(offer.preference);
                out.writeInt(offer.address.length);
                out.write(offer.address);
                out.writeUTF(offer.reason);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static List<TransportOffer> decode(byte[] bytes) {
        List<TransportOffer> offers = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                String name = in.readUTF();
                int preference = in.readInt();
                byte[] address = in.readNBytes(in.readInt());
                offers.add(new TransportOffer(name, preference, address, in.readUTF()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return offers;
    }

    /** A rank's address for a transport; empty where it does not have it. */
    static byte[] address(List<TransportOffer> offers, String name) {
        return find(offers, name).map(TransportOffer::address).orElse(new byte[0]);
    }

    /** Why a rank does not have a transport; empty where it does, or knows none of that name. */
    static String reason(List<TransportOffer> offers, String name) {
        return find(offers, name).map(TransportOffer::reason).orElse("");
    }

    private static Optional<TransportOffer> find(List<TransportOffer> offers, String name) {
        return offers.stream().filter(offer -> offer.name.equals(name)).findFirst();
    }
}
