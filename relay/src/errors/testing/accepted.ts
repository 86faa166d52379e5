import { isRequestProblem, type RequestProblem } from '../request-problem.ts'

/** What was read. A refusal fails the test. */
export function accepted<Read extends object>(read: Read | RequestProblem): Read {
  if (isRequestProblem(read)) throw new Error(read.message)
  return read
}
