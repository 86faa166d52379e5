import { AT_FIELD } from './at-field.ts'
import type { ErrorRow } from './error-row.ts'
import { type ErrorCode, ERRORS } from './errors.ts'

export type Language = 'en' | 'zh'

export type InBoth = Readonly<Record<Language, string>>

export type ErrorParams = Readonly<Record<string, string | number | InBoth>>

/** Rejection of invalid input or state. Carries an error code, never a finished text. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly params: ErrorParams
  /** Extra response fields next to `message`, for clients that also read fields of an error. */
  extra: Readonly<Record<string, string | number | readonly string[]>> = {}

  constructor(code: ErrorCode, params: ErrorParams = {}, cause?: unknown) {
    super(code, cause === undefined ? undefined : { cause })
    this.code = code
    this.params = params
  }
}

export const errorText = (code: ErrorCode, params: ErrorParams, language: Language): string =>
  filled(ERRORS[code][language], params, language)

const filled = (text: string, params: ErrorParams, language: Language) =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = params[name] ?? placeholder
    return typeof value === 'object' ? value[language] : String(value)
  })

/** The input field that an error is about, and what is wrong with it, for a form to show there. */
export function faultyFieldOf({ code, params }: AppError, language: Language) {
  const { field: fixed }: ErrorRow = ERRORS[code]
  const field = params['field'] ?? fixed
  if (typeof field !== 'string') return {}
  const problem = params['problem'] === undefined ? AT_FIELD[code]?.[language] : '{problem}'
  return problem === undefined ? { field } : { field, problem: filled(problem, params, language) }
}
