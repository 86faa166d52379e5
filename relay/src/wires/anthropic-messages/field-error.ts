import { parameterError } from '../../form/codec-errors.ts'

/** For an invalid field, named by its path, in the wording of the Messages API. */
export const fieldError = (param: string, message: string) =>
  parameterError(`${param}: ${message}`, param)
