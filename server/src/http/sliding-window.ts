/** Amounts that came close together; they are forgotten together, a window after the last of them. */
export type Slice = { readonly beganAt: number; lastAt: number; amount: number }

/** What still counts: whatever came within the window that ends now. */
export const slicesWithin = (slices: readonly Slice[], windowMs: number, at: number): Slice[] =>
  slices.filter(({ lastAt }) => lastAt + windowMs > at)

export const amountOf = (slices: readonly Slice[]): number =>
  slices.reduce((sum, { amount }) => sum + amount, 0)

/** Until so much has been forgotten that there is room for `amount`; 0 when there is room now. */
export function waitMs(
  slices: readonly Slice[],
  { most, amount, windowMs, at }: { most: number; amount: number; windowMs: number; at: number },
): number {
  let left = amountOf(slices)
  if (left + amount <= most) return 0
  for (const slice of slices) {
    left -= slice.amount
    if (left + amount <= most) return slice.lastAt + windowMs - at
  }
  return windowMs
}

/** Counts an amount in the newest slice, or in one of its own when that has lasted for `sliceMs`. */
export function withAmount(slices: Slice[], amount: number, at: number, sliceMs: number): Slice[] {
  const newest = slices.at(-1)
  if (newest === undefined || at >= newest.beganAt + sliceMs) {
    return [...slices, { beganAt: at, lastAt: at, amount }]
  }
  newest.amount += amount
  newest.lastAt = at
  return slices
}
