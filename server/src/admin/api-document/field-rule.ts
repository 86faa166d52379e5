import { z } from 'zod'

const fieldSchema = z.looseObject({
  type: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
  description: z.string().optional(),
})

type Field = z.output<typeof fieldSchema>

/** Describes the values a field allows in one line, such as `integer, 1 – 100`. */
export function fieldRule(schema: unknown, characters: string): string {
  const parsed = fieldSchema.safeParse(schema)
  if (!parsed.success) return ''
  const field = parsed.data
  const parts = choices(field, characters) ?? [
    typeOf(field, characters),
    range(field),
    lengths(field, characters),
  ]
  return [...parts, field.description ?? ''].filter((part) => part !== '').join(', ')
}

function choices(field: Field, characters: string): string[] | null {
  if (field.anyOf) return [field.anyOf.map((inner) => fieldRule(inner, characters)).join(' | ')]
  if (field.const !== undefined) return [JSON.stringify(field.const)]
  return field.enum ? [field.enum.map((value) => JSON.stringify(value)).join(' | ')] : null
}

function typeOf({ type, items }: Field, characters: string) {
  return type === 'array' ? `array of ${fieldRule(items, characters)}` : (type ?? '')
}

/** Omits the safe-integer limits, which apply to every integer. */
function range({ minimum, exclusiveMinimum, maximum }: Field): string {
  const min = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1
  const isLow = min !== undefined && min > Number.MIN_SAFE_INTEGER
  const isHigh = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  if (isLow && isHigh) return `${min} – ${maximum}`
  if (isLow) return `≥ ${min}`
  return isHigh ? `≤ ${maximum}` : ''
}

function lengths({ minLength, maxLength }: Field, characters: string): string {
  if (minLength !== undefined && maxLength !== undefined)
    return `${minLength} – ${maxLength} ${characters}`
  if (minLength !== undefined) return `≥ ${minLength} ${characters}`
  return maxLength === undefined ? '' : `≤ ${maxLength} ${characters}`
}
