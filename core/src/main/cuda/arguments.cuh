// What the host hands to every kernel, and the words that outlive a launch. Mirrored by KernelArguments.java, ArenaLayout.java and
// StopWords.java: a change here is a change there.
#pragma once
#include "memory.cuh"

constexpr u32 MAX_RANKS = 8;
constexpr u32 MAX_CHANNELS = 128;
constexpr u32 COUNTER_STRIDE = 16;  // u64 words between two counters: a 128-byte line each

struct Counter {
  u64 value;
  u64 pad[COUNTER_STRIDE - 1];
};

// Device memory of one rank; zeroed once, never reset, so that a captured graph replays.
struct Control {
  Counter progress;  // operations begun, times SHARES, less the shares of the warps that have not begun the last one
  Counter reported;  // 1 once a reason to stop has been written to Words
  Counter exchange_sent[MAX_CHANNELS];      // slots a channel has published
  Counter exchange_received[MAX_CHANNELS];  // slots a channel has consumed
  Counter exchange_read[MAX_CHANNELS];      // slots whose input was read: in place, the receiving block waits for that
  Counter ring_sent[MAX_CHANNELS];
  Counter ring_received[MAX_CHANNELS];
  uint4 relayed[8];  // resident: the command that block 0 passes on to the other blocks
  Counter mesh[MAX_CHANNELS];  // rounds a channel has done
  Counter ways;  // ring: 1 where channels go different ways round, set before the first operation
};

constexpr u64 REASON_DEADLINE = 1;
constexpr u64 REASON_DISAGREEMENT = 2;
constexpr u64 REASON_PROOF = 3;

// Mapped host memory of one rank. `abort` is set by either side; the rest says why, and is written before it.
struct Words {
  u64 abort;
  u64 reason;
  u64 peer;
  u64 sequence;
  u64 expected;
  u64 seen;
  u64 proven;
};

// Every rank owns one arena that its peers write to: headers first, then one region a kernel family.
struct Header {
  uint4 line[2][MAX_RANKS];  // by parity of the sequence number, then by sender
};

struct Arguments {
  const char* input;
  char* output;
  u64 count;        // elements
  u64 fingerprint;  // of {kind, type, operation, count, root, communicator}
  u32 rank;
  u32 ranks;
  u32 extent;  // LL: lines a source (a power of two); LL128: tiles ahead; exchange, ring: 16-byte packs a slot
  u32 depth;   // slots a channel, or tiles a warp
  u64 bank;    // LL, LL128: bytes from the even to the odd bank; exchange, ring: bytes of a channel
  u64 region;  // bytes from the start of an arena to the family's region
  u64 deadline;  // nanoseconds; 0 is none
  Control* control;
  Words* words;
  char* arena[MAX_RANKS];  // as mapped here; [rank] is our own
};

// And how far a rank's part lies from the next one's, in the larger buffer of an all-gather or reduce-scatter.
struct Parted : Arguments {
  u64 stride;  // bytes
};

// And every rank's registered input and output, as mapped here.
struct Registered : Arguments {
  const char* inputs[MAX_RANKS];
  char* outputs[MAX_RANKS];
};

// For a kernel that stays on the device: what it is told and what it answers is in mapped host memory.
struct Residence : Arguments {
  const uint4* commands;
  u64* answers;
  u64 first;  // the number of the command it waits for first
  u64 idle;   // nanoseconds without a command after which it leaves
  u64 life;   // nanoseconds after which it leaves though there are commands
};
