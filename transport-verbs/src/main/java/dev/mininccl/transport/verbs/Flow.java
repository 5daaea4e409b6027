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
        int window = Math.max(2, settings.integer(Setting.WINDOW_SIZE));
        return new Flow(window, Math.min(settings.integer(Setting.SIGNAL_BATCH), window / 2));
    }
}
