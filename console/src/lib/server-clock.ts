/** How far the server's clock is ahead of this computer's. */
let aheadMs = 0

/** A smaller difference is the time that an answer takes. */
const TOLERATED_MS = 60_000

/** Learns the time from the `Date` header of an answer. */
export function noteServerTime(date: string | null) {
  const ahead = Date.parse(date ?? '') - Date.now()
  if (!Number.isNaN(ahead)) aheadMs = Math.abs(ahead) < TOLERATED_MS ? 0 : ahead
}

/**
 * Epoch seconds at the server, whose times the console asks for and compares. The clock of a
 * computer may be hours off.
 */
export const nowSeconds = () => (Date.now() + aheadMs) / 1000
