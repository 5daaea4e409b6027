package dev.mininccl.hera.master;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.hera.wire.Message;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The state of a job for people and for programs. */
final class StatusReport {

    private final Job job;
    private final long now;

    private StatusReport(Job job, long now) {
        this.job = job;
        this.now = now;
    }

    static Message.Status of(Job job, long now) {
        StatusReport report = new StatusReport(job, now);
        return new Message.Status(report.text(), report.json());
    }

    private String text() {
        StringBuilder out = new StringBuilder();
        out.append("job of ").append(job.world()).append(job.world() == 1 ? " rank, " : " ranks, ");
        out.append(word(job.phase()))
                .append(" for ")
                .append(seconds(job.changedNanos()))
                .append("; master: ");
        out.append(job.self()).append('\n');
        List<Member> members = job.members();
        if (!members.isEmpty()) {
            int width = members.stream()
                    .mapToInt(member -> member.identity().host().length())
                    .max()
                    .orElse(0);
            String format = "%5s  %-10s  %-" + Math.max(4, width) + "s  %8s  %10s  %10s  %s%n";
            out.append(
                    String.format(Locale.ROOT, format, "rank", "state", "host", "pid", "for", "last heard", "about"));
            for (Member member : members) {
                String row = String.format(
                        Locale.ROOT,
                        format,
                        member.rank < 0 ? "any" : member.rank,
                        word(member.state),
                        member.identity().host(),
                        member.identity().pid(),
                        seconds(member.registeredNanos),
                        seconds(member.heardNanos),
                        member.identity().about());
                out.append(row.stripTrailing()).append('\n');
            }
        }
        line(out, "waiting: ", job.waitingFor());
        line(out, "last refused: ", job.lastRefusal());
        AbortReason reason = job.reason();
        line(out, "aborted: ", reason == null ? "" : word(reason.kind()) + ": " + reason.message());
        return out.toString();
    }

    private String json() {
        Json json = new Json()
                .add("world", job.world())
                .add("phase", word(job.phase()))
                .add("phaseMs", millis(job.changedNanos()))
                .add("masterHost", job.self().host())
                .add("masterPid", job.self().pid())
                .add("waiting", job.waitingFor())
                .add("lastRefused", job.lastRefusal());
        AbortReason reason = job.reason();
        if (reason != null) {
            json.add(
                    "aborted",
                    new Json()
                            .add("kind", reason.kind().name())
                            .add("rank", reason.rank())
                            .add("sequence", reason.sequence())
                            .add("message", reason.message()));
        }
        return json.add("ranks", job.members().stream().map(this::rank).toList())
                .toString();
    }

    private Json rank(Member member) {
        return new Json()
                .add("rank", member.rank)
                .add("state", word(member.state))
                .add("host", member.identity().host())
                .add("pid", member.identity().pid())
                .add("bootId", member.identity().bootId())
                .add("version", member.asked.version())
                .add("registeredMs", millis(member.registeredNanos))
                .add("lastHeardMs", millis(member.heardNanos))
                .add("about", member.identity().about());
    }

    private static void line(StringBuilder out, String head, String text) {
        if (!text.isEmpty()) {
            out.append(head).append(text).append('\n');
        }
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private String seconds(long since) {
        return String.format(Locale.ROOT, "%.1f s", millis(since) / 1000.0);
    }

    private long millis(long since) {
        return TimeUnit.NANOSECONDS.toMillis(now - since);
    }
}
