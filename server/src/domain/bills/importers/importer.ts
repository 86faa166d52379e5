import type { BilledUse } from '../bill.ts'

export type PullSpan = {
  /** Epoch seconds, `to` excluded. */
  readonly from: number
  readonly to: number
}

export type Page = {
  readonly lines: readonly BilledUse[]
  /** Where the next request continues; null after the last page. */
  readonly next: string | null
}

/** Requests and answers of one vendor's API. Null: the answer is not of the API's form. */
export type Importer = {
  /** Used where the operator gives no address. */
  readonly base: string
  readonly first: (span: PullSpan) => string
  readonly request: (
    source: { readonly key: string; readonly account: string },
    span: PullSpan,
    cursor: string,
  ) => { path: string; headers: Record<string, string> }
  readonly read: (json: unknown, span: PullSpan, cursor: string) => Page | null
}

export const NO_TOKENS = { input: null, cached: null, written: null, output: null } as const

/** The days of a span, by their start. */
export const SECONDS_PER_DAY = 86_400

/** Vendors' days begin at midnight UTC. */
export const dayOf = (seconds: number) => Math.floor(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY
