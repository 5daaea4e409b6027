package dev.mininccl.cli;

import dev.mininccl.core.settings.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The secret that master and ranks share, from a file. */
public final class Secret {

    private Secret() {}

    /**
     * Reads the secret; space around it does not count.
     *
     * @param tokenFile the file given by {@code --token-file}, or {@code null} for the one that {@code
     *     MINI_NCCL_SECRET_FILE} names
     * @return the secret, or {@code null} where neither is given
     * @throws IllegalArgumentException if the file cannot be read or is empty
     */
    public static byte[] read(Path tokenFile) {
        // Not through Settings, which would tell of unknown variables here and again when the rank joins.
        String setting = System.getenv(Setting.SECRET_FILE.variable());
        if (tokenFile == null && (setting == null || setting.isBlank())) {
            return null;
        }
        String flag = tokenFile == null ? Setting.SECRET_FILE.variable() + "=" : "--token-file ";
        Path file = tokenFile == null ? Path.of(setting.strip()) : tokenFile;
        String secret;
        try {
            secret = Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException(flag + file + ": must be a file that can be read (" + e + ")", e);
        }
        if (secret.isEmpty()) {
            throw new IllegalArgumentException(flag + file + ": must hold a secret, but is empty");
        }
        return secret.getBytes(StandardCharsets.UTF_8);
    }
}
