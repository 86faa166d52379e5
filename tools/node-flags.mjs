/**
 * What the server is started with.
 *
 * - One thread of V8 beside the one that answers: four that collect garbage and compile would keep it waiting on
 *   a single core.
 * - No pretenuring: while the first load comes in V8 takes the objects of requests for long-lived ones and from then
 *   on makes them in the old space. There they keep what they point to from being collected young, so that the old
 *   space grows ten times as fast.
 * - No lowering of the old space's limit while it grows slowly: that would collect it every few seconds, for a tenth
 *   of a second each time, although there is hardly anything in it to be found.
 * - The old space may grow to three times what lived in it: by itself V8 marks again after a third more, as it finds
 *   that little is allocated there, and on a single core each marking keeps requests waiting 50 ms and more.
 * - The young may take 32 MB before they are collected, V8's own limit being 16. What a collection costs is what is alive
 *   at that moment, however rare it is; with fewer of them the p99 at 500 requests/s is a sixth lower.
 * - Bodies are memory outside of V8's heap. Each 64 MB of them would make it mark all of the heap, although collecting
 *   the young is all it takes to let go of them; counted together with the heap they do so in proportion to it.
 */
export const SERVER_FLAGS = [
  '--enable-source-maps',
  '--v8-pool-size=1',
  '--no-allocation-site-pretenuring',
  '--no-scavenger-updates-allocation-limit',
  '--heap-growing-percent=200',
  '--max-semi-space-size=32',
  '--external-memory-accounted-in-global-limit',
]
