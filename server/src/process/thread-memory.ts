import { setFlagsFromString } from 'node:v8'

/** Each of two halves has this size. Threads work on the rows of one message, or on one text. */
const YOUNG_MB = 2

/**
 * Limits the young generation of threads started from now on. They would have that of the main
 * thread, and each keep as much garbage. `resourceLimits` of a thread cannot lower what a flag of
 * the process has set.
 */
export const limitThreadMemory = () => setFlagsFromString(`--max-semi-space-size=${YOUNG_MB}`)
