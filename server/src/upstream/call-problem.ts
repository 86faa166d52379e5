import type { UpstreamProblem } from '@tollgate/relay'

/**
 * Thrown when a provider was not called because the request or key does not fit it, or when an
 * async task failed.
 */
export class CallProblem extends Error {
  override readonly name = 'CallProblem'
  readonly problem: UpstreamProblem
  /** Status of the failed answer; 0 if there was none. */
  readonly status: number
  /** The provider may have accepted the task and bill it. */
  readonly isBillable: boolean

  constructor(problem: UpstreamProblem, status: number, { isBillable = false } = {}) {
    super(problem.detail)
    this.problem = problem
    this.status = status
    this.isBillable = isBillable
  }
}
