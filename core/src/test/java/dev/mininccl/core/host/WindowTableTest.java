package dev.mininccl.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WindowTableTest {

    private static final long[] MAPPED = {0x10000, 0x50000};
    private static final long[] BYTES = {1000, 200};

    @Test
    void ownRangesAreFoundWhole() {
        WindowTable table = table();
        assertThat(table.find(0x10000, 1000)).isZero();
        assertThat(table.find(0x10000 + 900, 100)).isZero();
        assertThat(table.find(0x10000 + 901, 100)).isEqualTo(-1);
        assertThat(table.find(0x10000 - 1, 1)).isEqualTo(-1);
        assertThat(table.find(0x50000, 1)).as("a peer's").isEqualTo(-1);
    }

    /** Whatever stands in shared memory: no address that it leads to may lie outside of the peer's window. */
    @Test
    void whatAPeerSaysIsChecked() {
        WindowTable table = table();
        assertThat(table.locate(0, 1, 0, 200)).isEqualTo(0x50000);
        assertThat(table.locate(0, 1, 100, 100)).isEqualTo(0x50000 + 100);
        assertThat(table.locate(0, 1, 101, 100)).as("beyond its end").isZero();
        assertThat(table.locate(0, 1, 0, 201)).as("larger than the peer's").isZero();
        assertThat(table.locate(0, 1, -1, 1)).isZero();
        assertThat(table.locate(0, 1, Long.MAX_VALUE, 1)).isZero();
        assertThat(table.locate(0, 1, Long.MIN_VALUE, 1)).isZero();
        assertThat(table.locate(1, 1, 0, 1)).as("no such window").isZero();
        assertThat(table.locate(-1, 1, 0, 1)).isZero();
    }

    private static WindowTable table() {
        WindowTable table = new WindowTable();
        assertThat(table.isEmpty()).isTrue();
        table.add(new WindowTable.Entry(0, MAPPED, BYTES));
        assertThat(table.isEmpty()).isFalse();
        return table;
    }
}
