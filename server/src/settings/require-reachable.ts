import { AppError, type OptionKey, OPTIONS, type OptionValues } from '@tollgate/contract'
import { REFUSAL_TEXTS, refusalOfHost } from '../network/address-reach.ts'
import type { Range } from '../network/ip-ranges.ts'

type Change = { key: OptionKey; before: OptionValues; after: OptionValues }

/**
 * Throws `invalid_field` for a server that connections would refuse. An unchanged address may be
 * saved along with other options.
 */
export function requireReachable({ key, before, after }: Change, opened: readonly Range[]) {
  const value = after[key]
  if (OPTIONS[key].connectsTo !== true || typeof value !== 'string' || value === '') return
  if (value === before[key]) return
  const host = URL.parse(value)?.hostname || value
  const rules = { opened, allowsPrivate: after.ChannelPrivateNetworksEnabled }
  const refusal = refusalOfHost(host, rules)
  if (refusal !== null) {
    throw new AppError('invalid_field', { field: key, problem: REFUSAL_TEXTS[refusal] })
  }
}
