import { type OptionKey, OPTIONS } from '@tollgate/contract'

const TOO_SMALL = -1
const TOO_BIG = Number.MAX_SAFE_INTEGER

/**
 * Limits of a numeric option. Found by probing the schema with invalid values, because the build
 * strips schema introspection.
 */
export function numberLimits(key: OptionKey) {
  const { schema } = OPTIONS[key]
  const low = schema.safeParse(TOO_SMALL).error?.issues[0]
  const high = schema.safeParse(TOO_BIG).error?.issues[0]
  const min = low?.code === 'too_small' ? Number(low.minimum) : 0
  const max = high?.code === 'too_big' ? Number(high.maximum) : Infinity
  return { min, max, isWhole: !schema.safeParse(min + 0.5).success }
}
