import type { z } from 'zod'
import { AppError, type channelDraft } from '@tollgate/contract'
import { replaceAbilities } from '../../store/abilities.ts'
import { findChannel, insertChannel, type ShownChannel } from '../../store/channels.ts'
import type { Tx } from '../../store/database.ts'
import { joinKeys } from '../../upstream/channel-keys.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { abilitiesOf } from './abilities-of.ts'
import { requirePasswords } from './hidden-passwords.ts'
import { parseKeys } from './parse-keys.ts'
import { requireServedType } from './require-served-type.ts'
import { requireUsableAddresses } from './require-usable-addresses.ts'
import { requireUsableSettings } from './require-usable-settings.ts'

/** Keeps the transaction of one call short. */
export const ABILITIES_PER_CALL_MAX = 200_000

type Draft = z.output<typeof channelDraft>

export type ChannelDeps = Pick<AdminDeps, 'secrets' | 'now'> & {
  readonly database: Pick<AdminDeps['database'], 'kind'>
  readonly upstream: Pick<AdminDeps['upstream'], 'outgoing'>
}

export async function createChannels(
  deps: AdminDeps,
  context: CallerContext,
  draft: Draft,
): Promise<ShownChannel[]> {
  const insert = prepareChannels(deps, draft)
  return deps.database.change(async (tx) => {
    await reauthorize(tx, deps, context)
    return insert(tx)
  })
}

/**
 * Checks a draft, and returns what inserts its channels. `joinedKeys` are the keys of one channel,
 * as they will be sealed, instead of those in the draft.
 */
export function prepareChannels(deps: ChannelDeps, draft: Draft, joinedKeys?: string) {
  requireServedType(draft)
  requireUsableSettings(draft)
  requirePasswords(draft)
  requireUsableAddresses(deps.upstream.outgoing, draft)
  const { key, multi_key, ...rest } = draft
  const served = abilitiesOf(draft)
  const lines = parseKeys(key, draft.type)
  const now = nowSeconds(deps)
  const keys = joinedKeys === undefined ? (multi_key ? [joinKeys(lines)] : lines) : [joinedKeys]
  if (keys.length * served.groups.length * served.models.length > ABILITIES_PER_CALL_MAX) {
    throw new AppError('too_many_items', { field: 'models', limit: ABILITIES_PER_CALL_MAX })
  }
  return async (tx: Tx): Promise<ShownChannel[]> => {
    const channels: ShownChannel[] = []
    for (const channelKey of keys) {
      const id = await insertChannel(tx, {
        ...rest,
        group: served.groups.join(','),
        models: served.models.join(','),
        key_sealed: deps.secrets.sealChannelKey(channelKey),
        created_time: now,
        status_time: now,
      })
      await replaceAbilities(tx, id, served)
      const channel = await findChannel(tx, id)
      if (channel) channels.push(channel)
    }
    return channels
  }
}
