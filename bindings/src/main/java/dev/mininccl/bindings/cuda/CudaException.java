package dev.mininccl.bindings.cuda;

/** A call of the CUDA driver failed. */
public final class CudaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The {@code CUresult}. */
    private final int code;

    /**
     * Creates the exception.
     *
     * @param call the function that failed
     * @param code its {@code CUresult}
     * @param detail more to say, or an empty string
     */
    public CudaException(String call, int code, String detail) {
        super(call + ": " + CudaError.name(code) + " (" + code + "), " + CudaError.text(code)
                + (detail.isEmpty() ? "" : "; " + detail));
        this.code = code;
    }

    /**
     * What the driver returned.
     *
     * @return a {@code CUresult}, not 0
     */
    public int code() {
        return code;
    }
}
