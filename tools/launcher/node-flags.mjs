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
 * - The old space may grow to twice its live size. By default V8 marks again after a third more,
 *   and on a single core each marking delays requests by 50 ms or more. A machine with less than a
 *   gigabyte has V8's default.
 * - The young generation may reach 16 MB before a collection. The cost of a collection depends on
 *   the live objects, however rare it is. V8 keeps up to three times that size: with 32 MB the
 *   server needs 70 MB more. A machine with less than a gigabyte has 4 MB.
 * - Bodies are memory outside of V8's heap. By default every 64 MB of them would mark the whole
 *   heap, although collecting the young generation frees them. Counted together with the heap, they
 *   trigger marking in proportion to it.
 * - The server may ask for a collection, which it does once: after its start.
 *
 * Source maps are left out. Keeping them takes 50 MB for the life of the process; NODE_OPTIONS can
 * switch them on to read a stack trace.
 */
export const serverFlags = (memoryMb) => [
  '--v8-pool-size=1',
  '--no-allocation-site-pretenuring',
  '--no-scavenger-updates-allocation-limit',
  ...(memoryMb < SMALL_MB
    ? ['--max-semi-space-size=4']
    : ['--heap-growing-percent=100', '--max-semi-space-size=16']),
  '--external-memory-accounted-in-global-limit',
  '--expose-gc',
]

export const SERVER_FLAGS = serverFlags(ownMemoryMb)

/**
 * Variables for glibc's `malloc`, which has the buffers, SQLite's pages and the compiler's memory.
 *
 * - Threads share two arenas. Each of the ten threads would otherwise keep what it once needed.
 * - Memory from 32 kB on returns to the system when it is freed. By default the limit grows to the
 *   largest freed buffer, and freed memory stays below what is still in use. V8's compilers take 32
 *   kB at a time: some 30 MB when two hundred functions become hot under the first load.
 */
export const MALLOC_VARIABLES = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
