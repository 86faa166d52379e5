import os from 'node:os'

/** Megabytes that this process may use: those of its container, or of the machine. */
const ownMemoryMb = Math.min(process.constrainedMemory() || Infinity, os.totalmem()) / 1024 ** 2

const SMALL_MB = 1024

/**
 * V8 flags of a server that may use this much memory.
 *
 * - One V8 worker thread: on a single core, four threads for garbage collection and compilation
 *   would delay the main thread.
 * - No pretenuring: during the first load V8 takes request objects for long-lived ones, and from
 *   then on allocates them in the old space. What they reference is then not collected with the
 *   young generation, so the old space grows ten times as fast.
 * - The limit of the old space is not lowered while it grows slowly. Lowering it would collect the
 *   old space every few seconds, for 100 ms each time, and free hardly anything.
 * - The old space may grow to three times its live size. By default V8 marks again after a third
 *   more, and on a single core each marking delays requests by 50 ms or more. A machine with less
 *   than a gigabyte has V8's default.
 * - The young generation may reach 32 MB before a collection; V8's default is 16. The cost of a
 *   collection depends on the live objects, however rare it is. Fewer collections lower the p99 at
 *   500 requests/s by a sixth. A machine with less than a gigabyte has 4 MB, because V8 reserves
 *   three times that size: the server then needs 220 MB instead of 380 under the same load.
 * - Bodies are memory outside of V8's heap. By default every 64 MB of them would mark the whole
 *   heap, although collecting the young generation frees them. Counted together with the heap, they
 *   trigger marking in proportion to it.
 * - The server may ask for a collection, which it does once: after its start.
 *
 * Source maps are left out. Keeping them takes 67 MB for the life of the process; NODE_OPTIONS can
 * switch them on to read a stack trace.
 */
export const serverFlags = (memoryMb) => [
  '--v8-pool-size=1',
  '--no-allocation-site-pretenuring',
  '--no-scavenger-updates-allocation-limit',
  ...(memoryMb < SMALL_MB
    ? ['--max-semi-space-size=4']
    : ['--heap-growing-percent=200', '--max-semi-space-size=32']),
  '--external-memory-accounted-in-global-limit',
  '--expose-gc',
]

export const SERVER_FLAGS = serverFlags(ownMemoryMb)
