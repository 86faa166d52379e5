type Range = { first: number; last: number }

/**
 * A set of numbers, kept as ranges. Small however many numbers it has, as long as few are missing.
 */
export class NumberRanges {
  /** Sorted; no two ranges touch. */
  readonly #ranges: Range[] = []

  /** False if the number was added before. */
  add(number: number): boolean {
    const behind = this.#ranges.findLastIndex(({ first }) => first <= number)
    const before = this.#ranges[behind]
    if (before && number <= before.last) return false
    const after = this.#ranges[behind + 1]
    const joinsBefore = before?.last === number - 1
    const joinsAfter = after?.first === number + 1
    if (before && after && joinsBefore && joinsAfter) {
      before.last = after.last
      this.#ranges.splice(behind + 1, 1)
    } else if (before && joinsBefore) before.last = number
    else if (after && joinsAfter) after.first = number
    else this.#ranges.splice(behind + 1, 0, { first: number, last: number })
    return true
  }

  /** Missing ranges above `from` and below the highest number. */
  gaps(from: number): Range[] {
    const gaps: Range[] = []
    let next = from + 1
    for (const { first, last } of this.#ranges) {
      if (first > next) gaps.push({ first: next, last: first - 1 })
      next = Math.max(next, last + 1)
    }
    return gaps
  }
}
