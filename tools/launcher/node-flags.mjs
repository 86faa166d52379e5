import os from 'node:os'

/** Megabytes that this process may use: those of its container, or of the machine. */
const memoryMb = Math.min(process.constrainedMemory() || Infinity, os.totalmem()) / 1024 ** 2

/**
 * V8 flags of the server.
 *
 * - One V8 worker thread: on a single core, four threads for garbage collection and compilation
 *   would delay the main thread.
 * - No pretenuring: during the first load V8 takes request objects for long-lived ones, and from
 *   then on allocates them in the old space. What they reference is then not collected with the
 *   young generation, so the old space grows ten times as fast.
 * - The limit of the old space is not lowered while it grows slowly. Lowering it would collect the
 *   old space every few seconds, for 100 ms each time, and free hardly anything.
 * - The old space may grow to three times its live size. By default V8 marks again after a third
 *   more, and on a single core each marking delays requests by 50 ms or more.
 * - The young generation may reach 32 MB before a collection; V8's default is 16. The cost of a
 *   collection depends on the live objects, however rare it is. Fewer collections lower the p99 at
 *   500 requests/s by a sixth. A machine with less than a gigabyte keeps 8 MB, because V8 reserves
 *   three times that size.
 * - Bodies are memory outside of V8's heap. By default every 64 MB of them would mark the whole
 *   heap, although collecting the young generation frees them. Counted together with the heap, they
 *   trigger marking in proportion to it.
 * - The server may ask for a collection, which it does once: after its start.
 *
 * Source maps are left out. Keeping them takes 67 MB for the life of the process; NODE_OPTIONS can
 * switch them on to read a stack trace.
 */
export const SERVER_FLAGS = [
  '--v8-pool-size=1',
  '--no-allocation-site-pretenuring',
  '--no-scavenger-updates-allocation-limit',
  '--heap-growing-percent=200',
  `--max-semi-space-size=${memoryMb < 1024 ? 8 : 32}`,
  '--external-memory-accounted-in-global-limit',
  '--expose-gc',
]
