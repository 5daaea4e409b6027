package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.ibv_gid_entry;
import dev.mininccl.bindings.posix.ErrnoCapture;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads GID tables: in one call where the library can (rdma-core 34), otherwise entry by entry with sysfs for the rest. */
final class GidTable {
    private GidTable() {}

    static List<GidEntry> read(Context context, PortAttributes port) {
        return VerbsCalls.has("_ibv_query_gid_table") ? readAtOnce(context, port) : readOneByOne(context, port);
    }

    static List<GidEntry> readAtOnce(Context context, PortAttributes port) {
        // The call returns the entries of all ports, so room for one port's is not enough.
        long most = 0;
        for (int each = context.attributes().ports(); each > 0; each--) {
            most += context.port(each).gidTableLength();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entries = ibv_gid_entry.allocateArray(most, arena);
            MemorySegment device = MemorySegment.ofAddress(context.address());
            long count = Ibv._ibv_query_gid_table(device, entries, most, 0, ibv_gid_entry.sizeof());
            Dialects.errorValue((int) Math.max(0, -count), "ibv_query_gid_table " + context);
            List<GidEntry> used = new ArrayList<>();
            for (long index = 0; index < count; index++) {
                MemorySegment entry = ibv_gid_entry.asSlice(entries, index);
                if (ibv_gid_entry.port_num(entry) == port.port()) {
                    used.add(new GidEntry(
                            port.port(),
                            ibv_gid_entry.gid_index(entry),
                            Gid.read(entry, ibv_gid_entry.gid$offset()),
                            GidEntry.Type.of(ibv_gid_entry.gid_type(entry)),
                            ibv_gid_entry.ndev_ifindex(entry)));
                }
            }
            return used;
        }
    }

    static List<GidEntry> readOneByOne(Context context, PortAttributes port) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        List<GidEntry> used = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment raw = arena.allocate(Gid.BYTES, Long.BYTES);
            for (int index = 0; index < port.gidTableLength(); index++) {
                // In a container the kernel refuses to tell entries of interfaces that are not the container's.
                int result = VerbsCalls.queryGid(errno, context.address(), port.port(), index, raw.address());
                Gid gid = result < 0 ? Gid.ZERO : Gid.read(raw, 0);
                if (!gid.isZero()) {
                    used.add(entry(context, port, index, gid));
                }
            }
        }
        return used;
    }

    private static GidEntry entry(Context context, PortAttributes port, int index, Gid gid) {
        Path attributes = context.device().sysfs().resolve("ports/" + port.port() + "/gid_attrs");
        String type = firstLine(attributes.resolve("types/" + index));
        return new GidEntry(
                port.port(),
                index,
                gid,
                type(type, port),
                interfaceIndex(firstLine(attributes.resolve("ndevs/" + index))));
    }

    private static GidEntry.Type type(String text, PortAttributes port) {
        if (text.equals("RoCE v2")) {
            return GidEntry.Type.ROCE_V2;
        }
        return port.linkLayer() == PortAttributes.LinkLayer.ETHERNET ? GidEntry.Type.ROCE_V1 : GidEntry.Type.INFINIBAND;
    }

    private static int interfaceIndex(String name) {
        try {
            NetworkInterface found = name.isEmpty() ? null : NetworkInterface.getByName(name);
            return found == null ? 0 : found.getIndex();
        } catch (IOException _) {
            return 0;
        }
    }

    /** Sysfs answers with an error for what it has no value for. */
    private static String firstLine(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException _) {
            return "";
        }
    }
}
