/** Token counts of a bill; null where the bill does not give the count. */
export type BilledTokens = {
  /** Includes `cached` and `written`. */
  readonly input: number | null
  readonly cached: number | null
  readonly written: number | null
  readonly output: number | null
}

/** A line of a provider's bill. Times are in epoch seconds, `to` excluded. */
export type BilledUse = BilledTokens & {
  /** The provider's own id of the line; empty if it has none. */
  readonly id: string
  readonly from: number
  /** Equal to `from` for a single request. */
  readonly to: number
  /** Empty for lines that are not about a model, such as a credit. */
  readonly model: string
  /** The provider's name of the API key; empty if the bill does not tell keys apart. */
  readonly key: string
  /** What the line is for, such as `output`; tells lines of the same time and model apart. */
  readonly item: string
  readonly requests: number | null
  /** In 10^-9 units of `currency`; null on a report of usage alone. */
  readonly amount: number | null
  /** ISO 4217, upper case; empty if the bill does not name one. */
  readonly currency: string
}

/** Lines of one interval, model and key. `start` counts hours since the epoch, UTC. */
export type BilledSum = BilledTokens & {
  readonly start: number
  readonly hours: number
  readonly model: string
  readonly key: string
  readonly lines: number
  readonly requests: number | null
  readonly amount: number | null
}

/** Attempts of one hour, channel, model and key, as this gateway recorded them. */
export type RecordedUse = {
  readonly hour: number
  readonly channel: number
  readonly model: string
  /** Fingerprint of the channel's key. */
  readonly key: string
  readonly attempts: number
  /** Attempts whose cost is not known. */
  readonly unknown: number
  /** Includes `cached` and `written`. */
  readonly input: number
  readonly cached: number
  /** Null if any of it was not recorded. */
  readonly written: number | null
  readonly output: number
  /** Sum of the known costs, in nano-dollars. */
  readonly cost: number
}

export const SECONDS_PER_HOUR = 3600
