package dev.mininccl.hera.master;

import dev.mininccl.hera.wire.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Who has registered for a job that has not started: who may, and which rank each gets. */
final class Roster {

    private final int world;
    private final List<Member> members = new ArrayList<>();

    Roster(int world) {
        this.world = world;
    }

    List<Member> members() {
        return members;
    }

    boolean complete() {
        return members.size() == world;
    }

    void add(Member member) {
        members.add(member);
    }

    void remove(Member member) {
        members.remove(member);
    }

    /** Why a process may not register, with both sides' values; {@code null} if it may. */
    String objection(Message.Register asked, long now) {
        String who = Member.name(asked.rank(), asked.identity());
        if (asked.size() != world) {
            return who + " asks for a job of " + asked.size() + " ranks, but this master serves one of " + world
                    + ": start all with the same number of ranks";
        }
        if (asked.rank() < -1 || asked.rank() >= world) {
            return who + ": rank " + asked.rank() + " is out of range, it must be -1 or 0 to " + (world - 1);
        }
        Optional<Member> taken = members.stream()
                .filter(m -> m.rank >= 0 && m.rank == asked.rank())
                .findFirst();
        if (taken.isPresent()) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(now - taken.get().registeredNanos);
            return who + " is one too many: " + taken.get() + " registered " + seconds
                    + " s ago under the same rank; give each process a rank of its own, or -1";
        }
        return members.isEmpty() ? null : Agreement.difference(members.getFirst(), asked);
    }

    /**
     * Gives every member its rank: the fixed ones what they asked for, the others what is free, host by host and in the
     * order of registration, so that neighbours share a host where possible.
     *
     * @return by rank
     */
    Member[] assign() {
        Member[] byRank = new Member[world];
        Map<String, List<Member>> automatic = new LinkedHashMap<>();
        for (Member member : members) {
            if (member.rank >= 0) {
                byRank[member.rank] = member;
            } else {
                automatic
                        .computeIfAbsent(member.identity().host(), _ -> new ArrayList<>())
                        .add(member);
            }
        }
        int free = 0;
        for (List<Member> ofOneHost : automatic.values()) {
            for (Member member : ofOneHost) {
                while (byRank[free] != null) {
                    free++;
                }
                member.rank = free;
                byRank[free] = member;
            }
        }
        return byRank;
    }

    /** Who is there and who is not, for those who wait in vain. */
    String missing() {
        List<Integer> unclaimed = Ranks.where(world, rank -> members.stream().noneMatch(member -> member.rank == rank));
        int absent = world - members.size();
        return members.size() + " of " + world + " ranks have registered, "
                + (absent == unclaimed.size()
                        ? Ranks.text(unclaimed) + (absent == 1 ? " is missing" : " are missing")
                        : absent + " more of " + Ranks.text(unclaimed)
                                + (absent == 1 ? " is missing" : " are missing"));
    }
}
