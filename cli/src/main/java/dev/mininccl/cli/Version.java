package dev.mininccl.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version of this library, as its module says. */
public final class Version implements IVersionProvider {

    /** Used by picocli. */
    public Version() {}

    /**
     * The version alone.
     *
     * @return for example {@code 1.0.0}; {@code development} where the module was compiled without one
     */
    public static String number() {
        return Optional.ofNullable(Version.class.getModule().getDescriptor())
                .flatMap(descriptor -> descriptor.rawVersion())
                .orElse("development");
    }

    @Override
    public String[] getVersion() {
        return new String[] {"mini-nccl " + number() + " (Java " + Runtime.version() + ")"};
    }
}
