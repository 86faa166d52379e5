import { z } from 'zod'
import { type OptionKey, OPTIONS } from '@tollgate/contract'

/** The least and the most an option of a number may be, as its schema says. */
export function numberLimits(key: OptionKey) {
  const { schema } = OPTIONS[key]
  const inner: unknown = schema instanceof z.ZodNullable ? schema.unwrap() : schema
  if (!(inner instanceof z.ZodNumber)) return { min: 0, max: Infinity, isWhole: false }
  return {
    min: inner.minValue ?? 0,
    max: inner.maxValue ?? Infinity,
    isWhole: inner.format?.includes('int') ?? false,
  }
}
