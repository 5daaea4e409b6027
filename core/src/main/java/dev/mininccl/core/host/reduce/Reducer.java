package dev.mininccl.core.host.reduce;

/**
 * Combines elements of one type by one operation, on absolute addresses of native memory with any alignment. Stateless
 * after construction but for scratch memory, so one instance serves one thread.
 *
 * <p>All implementations (scalar, vector) of one type and operation give the same bits, payloads of NaN excepted. The output may be the very same
 * range as an input but must not overlap one otherwise. Operands combine in the order given.
 */
public interface Reducer {

    /**
     * {@code out[i] = a[i] op b[i]}, rounded once. For an average this is the sum.
     *
     * @param a address of the first operand
     * @param b address of the second operand
     * @param out address of the result
     * @param count elements, at least 0
     */
    void reduce(long a, long b, long out, int count);

    /**
     * As {@link #reduce}, where nothing follows: for an average {@code out[i] = (a[i] + b[i]) / ranks}, rounded once;
     * otherwise the same as {@link #reduce}.
     *
     * @param a address of the first operand
     * @param b address of the second operand
     * @param out address of the result
     * @param count elements, at least 0
     */
    void reduceLast(long a, long b, long out, int count);

    /**
     * As {@link #reduceLast}, with the result stored to two places.
     *
     * @param a address of the first operand
     * @param b address of the second operand
     * @param out address of the result
     * @param copy address of its copy
     * @param count elements, at least 0
     */
    void reduceLastTwice(long a, long b, long out, long copy, int count);

    /**
     * {@code out[i] = in[0][i] op in[1][i] op … op in[n - 1][i]}, in that order, for an average divided by the number of ranks. 16-
     * and 8-bit floats are accumulated in binary32 and rounded once.
     *
     * @param in addresses of the operands; the first {@code n} are used
     * @param n how many, at least 1
     * @param out address of the result, may be one of the operands
     * @param count elements, at least 0
     */
    void reduceAll(long[] in, int n, long out, int count);
}
