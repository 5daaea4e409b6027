package dev.mininccl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

    @Test
    void isWrittenInOrder() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("b", 1.5);
        map.put("a", Arrays.asList(1L, null, true, "x", List.of(), Map.of()));
        assertThat(Json.text(map)).isEqualTo("{\"b\":1.5,\"a\":[1,null,true,\"x\",[],{}]}");
    }

    @Test
    void stringsAreEscaped() {
        assertThat(Json.text("a\"b\\c\nd\te\u0001é")).isEqualTo("\"a\\\"b\\\\c\\nd\\te\\u0001é\"");
    }

    @Test
    void whatIsWrittenCanBeReadAgain() {
        Map<String, Object> map = Map.of("k\n\"", Arrays.asList(1.25, -3.0, null, false, "\u0002\\"));
        assertThat(JsonReader.read(Json.text(map))).isEqualTo(map);
    }
}
