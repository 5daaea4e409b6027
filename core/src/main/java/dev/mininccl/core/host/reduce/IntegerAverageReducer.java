package dev.mininccl.core.host.reduce;

/** Averages of integers: sums by vectors, then a scalar pass over the result that divides. */
final class IntegerAverageReducer implements Reducer {

    private final Reducer sum;
    private final ScratchReducer division;

    /**
     * Puts the two together.
     *
     * @param sum the reducer of the same type's sums
     * @param division the scalar reducer of averages
     */
    IntegerAverageReducer(Reducer sum, ScratchReducer division) {
        this.sum = sum;
        this.division = division;
    }

    @Override
    public void reduce(long a, long b, long out, int count) {
        sum.reduce(a, b, out, count);
    }

    @Override
    public void reduceLast(long a, long b, long out, int count) {
        sum.reduce(a, b, out, count);
        division.divideInPlace(out, out, count);
    }

    @Override
    public void reduceLastTwice(long a, long b, long out, long copy, int count) {
        sum.reduce(a, b, out, count);
        division.divideInPlace(out, copy, count);
    }

    @Override
    public void reduceAll(long[] in, int n, long out, int count) {
        sum.reduceAll(in, n, out, count);
        division.divideInPlace(out, out, count);
    }
}
