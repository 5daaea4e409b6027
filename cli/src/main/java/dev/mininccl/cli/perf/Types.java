package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads nccl-tests' names of types and operations; {@code all} stands for every one. */
final class Types {

    /** Names that are as common as nccl-tests' own. */
    private static final Map<String, String> ALIASES = Map.ofEntries(
            Map.entry("float32", "float"),
            Map.entry("float64", "double"),
            Map.entry("float16", "half"),
            Map.entry("fp16", "half"),
            Map.entry("bf16", "bfloat16"),
            Map.entry("fp8_e4m3", "f8e4m3"),
            Map.entry("float8_e4m3", "f8e4m3"),
            Map.entry("fp8_e5m2", "f8e5m2"),
            Map.entry("float8_e5m2", "f8e5m2"));

    private Types() {}

    /** Reads {@code -d}. */
    static final class Data implements ITypeConverter<Types.DataTypes> {
        @Override
        public DataTypes convert(String text) {
            return new DataTypes(
                    named(ALIASES.getOrDefault(text, text), text, Arrays.asList(DataType.values()), DataType::label));
        }
    }

    /** Reads {@code -o}. */
    static final class Operation implements ITypeConverter<Types.Operations> {
        @Override
        public Operations convert(String text) {
            return new Operations(named(text, text, Arrays.asList(ReduceOp.values()), ReduceOp::label));
        }
    }

    /** One type or all; a class of its own since picocli would take a list for a repeated option. */
    record DataTypes(List<DataType> list) {}

    /** One operation or all. */
    record Operations(List<ReduceOp> list) {}

    private static <T> List<T> named(String name, String given, List<T> all, Function<T, String> label) {
        if (name.equals("all")) {
            return all;
        }
        return all.stream()
                .filter(one -> label.apply(one).equals(name))
                .findFirst()
                .map(List::of)
                .orElseThrow(() -> new TypeConversionException("'" + given + "': must be "
                        + all.stream().map(label).collect(Collectors.joining(", ")) + " or all"));
    }
}
