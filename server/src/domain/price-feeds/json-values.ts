export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const PER_MILLION = 1e6

/** Other values stay as they are, so that the check of the price reports them. */
export const times = (price: unknown, factor: number): unknown =>
  typeof price === 'number' ? price * factor : price

export const perMillion = (perToken: unknown): unknown => times(perToken, PER_MILLION)

/** OpenRouter writes numbers as decimal text. */
export function perMillionOfText(perToken: unknown): unknown {
  const isDecimal = typeof perToken === 'string' && /^-?\d*\.?\d+(?:e-?\d+)?$/i.test(perToken)
  return isDecimal ? Number(perToken) * PER_MILLION : perToken
}
