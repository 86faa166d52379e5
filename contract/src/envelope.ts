import type { ConfirmationWay } from './confirmation-ways.ts'

/**
 * Error body of every endpoint under /api. Business errors are HTTP 200 with `success: false`. A
 * failed channel test has extra fields.
 */
export type Failure = {
  success: false
  message: string
  /** The input field at fault, as in `models` or `config.headers`. */
  field?: string
  /** What is wrong with the field, for forms that show it there; without it, `message` says it. */
  problem?: string
  /** Set for errors that clients handle instead of showing the message. */
  code?: string
  /** Ways the caller may confirm; set with the code `confirmation_needed`. */
  ways?: readonly ConfirmationWay[]
}
