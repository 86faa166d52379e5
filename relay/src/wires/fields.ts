import { member } from '../bytes/json-value.ts'

/** An invalid field, named by its path, such as `messages.0.content`. */
export type FieldProblem = {
  readonly isProblem: true
  readonly param: string
  readonly message: string
}

export const fieldProblem = (param: string, message: string): FieldProblem => ({
  isProblem: true,
  param,
  message,
})

export const isFieldProblem = (value: unknown): value is FieldProblem =>
  member(value, 'isProblem') === true
