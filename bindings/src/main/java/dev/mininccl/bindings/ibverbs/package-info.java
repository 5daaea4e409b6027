/**
 * RDMA through libibverbs, as typed handles.
 *
 * <p>{@link dev.mininccl.bindings.ibverbs.DeviceList} finds {@link dev.mininccl.bindings.ibverbs.Device}s; an opened one is a
 * {@link dev.mininccl.bindings.ibverbs.Context}, from which protection domains, completion queues and queue pairs come. Every
 * handle has one owner, who closes it once, children before parents; closing again does nothing.
 *
 * <p>libibverbs has three error dialects. NULL or -1 with {@code errno}, and an error number as the value, both end as
 * {@link dev.mininccl.bindings.ibverbs.VerbsException} at set-up. Posting and polling return what C returns, take absolute
 * addresses, and neither allocate nor capture {@code errno}.
 */
package dev.mininccl.bindings.ibverbs;
