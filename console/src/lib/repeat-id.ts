/** Idempotency key of a balance change: a repeat after a lost answer has no further effect. */
export const newRepeatId = () => `console-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
