/**
 * The part of libc that the library needs and the JDK does not offer, Linux x86-64 and aarch64; one class a header or a kind of
 * object.
 *
 * <p>Two error dialects: calls at set-up throw {@link dev.mininccl.bindings.posix.PosixException}; calls of hot paths return a
 * count or a negative {@link dev.mininccl.bindings.posix.Errno} and allocate nothing. Addresses and native handles are
 * primitives, see {@link dev.mininccl.bindings.posix.NativeMemory}.
 */
package dev.mininccl.bindings.posix;
