import { seededRandom } from '../ledger/seeded-random.ts'

/** The only source of chance in a simulation: the same seed gives the same run. */
export class Random {
  /** At least 0, less than 1. */
  readonly next: () => number

  constructor(seed: number) {
    this.next = seededRandom(seed)
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** A number from `min` to `max`, mostly near `min`. */
  skewed(min: number, max: number): number {
    return min + (max - min) * this.next() ** 3
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.int(0, items.length - 1)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** Picks a name with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights)
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0)
    let left = this.next() * total
    const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1)
    if (found === undefined) throw new RangeError('nothing to pick from')
    return found[0] as Name // safe because it is a key of `weights`
  }

  uuid(): string {
    const hex = Array.from({ length: 8 }, () => this.int(0, 0xffff).toString(16).padStart(4, '0'))
    const [a, b, c, d, e, ...rest] = hex
    return `${a}${b}-${c}-${d}-${e}-${rest.join('')}`
  }
}
