package dev.mininccl.cli;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
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
        String setting = Settings.fromEnvironment().text(Setting.SECRET_FILE);
        if (tokenFile == null && setting.isEmpty()) {
            return null;
        }
        String flag = tokenFile == null ? Setting.SECRET_FILE.variable() + "=" : "--token-file ";
        Path file = tokenFile == null ? Path.of(setting) : tokenFile;
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
