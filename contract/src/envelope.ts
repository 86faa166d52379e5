import type { ConfirmationWay } from './second-factor.ts'

/**
 * Every refusal under /api; business errors are HTTP 200 with `success: false`. A failed channel
 * test has further fields.
 */
export type Failure = {
  success: false
  message: string
  /** Names refusals that a client handles instead of showing them. */
  code?: string
  /** With the code `confirmation_needed`: how the caller may confirm. */
  ways?: readonly ConfirmationWay[]
}
