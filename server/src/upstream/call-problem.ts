import type { UpstreamProblem } from '@tollgate/relay'

/** A provider that was not asked, as it cannot be told this request or not with this key; or a queue that failed. */
export class CallProblem extends Error {
  override readonly name = 'CallProblem'
  readonly problem: UpstreamProblem
  /** Of the answer that stood in the way; 0 where there was none. */
  readonly status: number
  /** The provider may have taken the request into its queue, and bill it. */
  readonly isBillable: boolean

  constructor(problem: UpstreamProblem, status: number, { isBillable = false } = {}) {
    super(problem.detail)
    this.problem = problem
    this.status = status
    this.isBillable = isBillable
  }
}
