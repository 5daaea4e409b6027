package dev.mininccl.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PartShapeTest {

    @Test
    void everySizeHasAFormThatFits() {
        for (int ranks = 2; ranks <= KernelArguments.MAX_RANKS; ranks++) {
            for (ArenaLayout layout : new ArenaLayout[] {
                ArenaLayout.peer(ranks, 8L << 30), ArenaLayout.peer(ranks, 140L << 30), ArenaLayout.host(ranks)
            }) {
                for (int blocks : new int[] {2, 9, 33, 132}) {
                    for (long bytes = 1; bytes > 0; bytes *= 3) {
                        fits(layout, blocks, bytes, PartShape.shipped(layout, blocks, bytes));
                    }
                }
            }
        }
    }

    private static void fits(ArenaLayout layout, int blocks, long bytes, PartShape shape) {
        assertThat(shape.blocks()).isBetween(1, blocks);
        assertThat(shape.threads() % 32).isZero();
        assertThat(shape.threads()).isBetween(32, 1024);
        if (shape.lines()) {
            assertThat(bytes).isLessThanOrEqualTo(layout.lines() * 8L);
        } else {
            assertThat(shape.blocks() % 2).isZero();
            assertThat(shape.slotBytes() % 16).isZero();
            assertThat((long) shape.slotBytes() * PartShape.DEPTH * (layout.ranks() - 1))
                    .isPositive()
                    .isLessThanOrEqualTo(layout.partsBank());
        }
    }
}
