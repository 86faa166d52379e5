import { type OptionKey, OPTIONS } from '@tollgate/contract'

const TOO_SMALL = -1
const TOO_BIG = Number.MAX_SAFE_INTEGER

/**
 * Limits and step of a numeric option. The limits are found by probing the schema with invalid
 * values, because the build strips schema introspection.
 */
export function numberLimits(key: OptionKey) {
  const { schema } = OPTIONS[key]
  const low = schema.safeParse(TOO_SMALL).error?.issues[0]
  const high = schema.safeParse(TOO_BIG).error?.issues[0]
  const min = low?.code === 'too_small' ? Number(low.minimum) : 0
  const max = high?.code === 'too_big' ? Number(high.maximum) : Infinity
  const isWhole = !schema.safeParse(min + 0.5).success
  return { min, max, isWhole, step: isWhole ? 1 : min || 1 }
}

/** The values that an option accepts, found in the same way. */
export function optionChoices(key: OptionKey): string[] {
  const issue = OPTIONS[key].schema.safeParse(null).error?.issues[0]
  return issue?.code === 'invalid_value' ? issue.values.map(String) : []
}
