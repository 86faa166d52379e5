import { type ErrorCode, ERRORS, type InBoth, type Language } from './errors.ts'

export type ErrorParams = Readonly<Record<string, string | number | InBoth>>

/** Wrong input or a wrong state; carries a code of the table, never a finished text. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly params: ErrorParams
  /** Fields next to the message, where clients read more than that also of a refusal. */
  beside: Readonly<Record<string, string | number>> = {}

  constructor(code: ErrorCode, params: ErrorParams = {}, cause?: unknown) {
    super(code, cause === undefined ? undefined : { cause })
    this.code = code
    this.params = params
  }
}

/** The text of an error for a reader of `language`. */
export function errorText(code: ErrorCode, params: ErrorParams, language: Language): string {
  return ERRORS[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name] ?? whole
    return typeof value === 'object' ? value[language] : String(value)
  })
}
