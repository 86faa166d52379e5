import type { Random } from './random.ts'

export type CommitOutcome =
  | { type: 'done' }
  /** The connection breaks before this statement, or before the commit. */
  | { type: 'broken'; statement: number }
  | { type: 'refused' }
  /** The transaction is committed, but the acknowledgement is lost. */
  | { type: 'unheard' }
  /** The client gives up, and the server commits later. */
  | { type: 'late'; milliseconds: number }

export type Rates = { broken: number; refused: number; unheard: number; late: number }

export const NO_FAULTS: Rates = { broken: 0, refused: 0, unheard: 0, late: 0 }
export const SOME_FAULTS: Rates = { broken: 0.02, refused: 0.01, unheard: 0.03, late: 0.01 }

const STATEMENTS_MAX = 12
const LATE_MS_MAX = 20_000

export function drawOutcome(random: Random, rates: Rates): CommitOutcome {
  const type = random.weighted({ done: 1, ...rates })
  switch (type) {
    case 'done':
    case 'refused':
    case 'unheard':
      return { type }
    case 'broken':
      return { type, statement: random.int(0, STATEMENTS_MAX) }
    case 'late':
      return { type, milliseconds: random.skewed(1, LATE_MS_MAX) }
  }
}
