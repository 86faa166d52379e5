import { problem, type RequestProblem } from '../errors/request-problem.ts'
import { UnsupportedParameterError, parameterError } from '../form/codec-errors.ts'

/** For an invalid field, named by its path, and for one that no other API can express. */
export const fieldError = (param: string, rule: string) =>
  parameterError(`'${param}' ${rule}.`, param)

/** What a reader of requests has thrown. */
export function problemOf(error: unknown, code: string | null = null): RequestProblem {
  if (!(error instanceof UnsupportedParameterError)) throw error
  return problem(error.message, error.param, code)
}
