package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.ibv_device_attr;
import java.lang.foreign.MemorySegment;

/**
 * What a device says about itself; the limits that matter for reliable connections.
 *
 * @param firmware version of its firmware
 * @param vendorId the vendor's OUI
 * @param vendorPartId the vendor's number of the model
 * @param ports how many, numbered from 1
 * @param maxQueuePairs most queue pairs
 * @param maxRequests most work requests in a queue
 * @param maxScatterEntries most scatter-gather entries in a request
 * @param maxCompletions most entries of a completion queue
 * @param maxRegionBytes largest memory region, unsigned
 * @param maxReadsAsTarget most RDMA reads and atomics that peers may have outstanding at one queue pair
 * @param maxReadsAsInitiator most that a queue pair may have outstanding itself
 */
public record DeviceAttributes(
        String firmware,
        int vendorId,
        int vendorPartId,
        int ports,
        int maxQueuePairs,
        int maxRequests,
        int maxScatterEntries,
        int maxCompletions,
        long maxRegionBytes,
        int maxReadsAsTarget,
        int maxReadsAsInitiator) {

    static DeviceAttributes read(MemorySegment attributes) {
        return new DeviceAttributes(
                ibv_device_attr.fw_ver(attributes).getString(0),
                ibv_device_attr.vendor_id(attributes),
                ibv_device_attr.vendor_part_id(attributes),
                Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attributes)),
                ibv_device_attr.max_qp(attributes),
                ibv_device_attr.max_qp_wr(attributes),
                ibv_device_attr.max_sge(attributes),
                ibv_device_attr.max_cqe(attributes),
                ibv_device_attr.max_mr_size(attributes),
                ibv_device_attr.max_qp_rd_atom(attributes),
                ibv_device_attr.max_qp_init_rd_atom(attributes));
    }
}
