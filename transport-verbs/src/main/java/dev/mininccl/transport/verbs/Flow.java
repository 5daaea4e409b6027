package dev.mininccl.transport.verbs;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;

/**
 * How many requests may be under way, and how many go without a report. A slice can take two requests, so a window of 1
 * works as 2. A report must come while there is still room, or none would ever make room: so one in half a window at least.
 *
 * @param window requests in flight, at least 2
 * @param batch requests a report, 1 to half a window
 */
record Flow(int window, int batch) {

    static Flow of(Settings settings) {
        return of(settings.integer(Setting.WINDOW_SIZE), settings.integer(Setting.SIGNAL_BATCH));
    }

    private static Flow of(int window, int batch) {
        int least = Math.max(2, window);
        return new Flow(least, Math.min(batch, least / 2));
    }

    /** The same where a queue holds so many requests, credits beyond the window included. */
    Flow within(int requests) {
        return of(Math.min(window, requests - SendQueue.RESERVE), batch);
    }
}
