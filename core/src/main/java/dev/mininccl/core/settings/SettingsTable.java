package dev.mininccl.core.settings;

/** Prints the settings for people. */
public final class SettingsTable {

    private SettingsTable() {}

    /**
     * One line a setting with the value in force, for the log.
     *
     * @param settings whose values
     * @return several lines
     */
    public static String inForce(Settings settings) {
        StringBuilder text = new StringBuilder("settings:");
        for (Setting setting : Setting.values()) {
            text.append("\n  ").append(setting.variable()).append('=').append(settings.text(setting));
        }
        return text.toString();
    }

    /**
     * A Markdown table of all settings, for the documentation.
     *
     * @return several lines, each ended
     */
    public static String markdown() {
        StringBuilder text = new StringBuilder("| variable | default | unit or range | meaning |\n|---|---|---|---|\n");
        for (Setting setting : Setting.values()) {
            text.append("| `")
                    .append(setting.variable())
                    .append("` | ")
                    .append(setting.byDefault())
                    .append(" | ");
            String unit = setting.range().equals(setting.unit()) ? "" : " " + setting.unit();
            text.append((setting.range() + unit).strip().replace("|", ", "));
            text.append(" | ").append(setting.meaning()).append(" |\n");
        }
        return text.toString();
    }
}
