import type { UpstreamProblem } from '@tollgate/relay'

/** A provider that was not asked: it cannot be told this request, or not with this key. */
export class CallProblem extends Error {
  override readonly name = 'CallProblem'
  readonly problem: UpstreamProblem
  /** Of the answer that stood in the way; 0 where there was none. */
  readonly status: number

  constructor(problem: UpstreamProblem, status: number) {
    super(problem.detail)
    this.problem = problem
    this.status = status
  }
}
