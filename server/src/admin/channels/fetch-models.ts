import type { z } from 'zod'
import { AppError, type modelSource } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import { hasPrice } from '../../domain/find-price.ts'
import { findChannelToProbe } from '../../store/channels.ts'
import { splitKeys } from '../../upstream/channel-keys.ts'
import { fetchModelList } from '../../upstream/model-list.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorizeNow } from '../reauthorize.ts'
import { requirePasswords, restorePasswords } from './hidden-passwords.ts'
import { requireSameAddress, requireSameAddressForHeaders } from './require-same-address.ts'
import { requireServedType } from './require-served-type.ts'
import { requireUsableAddresses } from './require-usable-addresses.ts'
import { requireUsableSettings } from './require-usable-settings.ts'

type Source = z.output<typeof modelSource>

/** Asks the provider for its models, with the form's key or else the stored channel's key. */
export async function fetchModels(
  deps: AdminDeps,
  context: CallerContext,
  source: Source,
): Promise<{ models: string[]; unpriced: string[] }> {
  requireServedType(source)
  requireUsableSettings(source)
  await reauthorizeNow(deps, context)
  const probed = await completeSource(deps, source)
  requireUsableAddresses(deps.upstream.outgoing, probed)
  const result = await fetchModelList(deps.upstream, probed, deps.now())
  if (result.type === 'unsupported') throw new AppError('model_list_unsupported')
  if (result.type === 'failed') {
    throw new AppError('model_list_failed', { reason: detailInBoth(result.reason) })
  }
  const { models } = result
  const options = deps.settings.current()
  return { models, unpriced: models.filter((model) => !hasPrice(model, options)) }
}

/**
 * Adds the stored channel's secrets to the form. The stored key goes only to the stored address.
 */
async function completeSource({ database, secrets }: AdminDeps, source: Source): Promise<Source> {
  const [givenKey = ''] = splitKeys(source.key)
  if (source.id === undefined) {
    requirePasswords(source)
    return { ...source, key: givenKey }
  }
  const stored = await findChannelToProbe(database.kysely, source.id)
  if (!stored) throw new AppError('channel_not_found')
  const merged = { ...source, ...restorePasswords(source, stored) }
  requireSameAddressForHeaders(source.config, stored, merged)
  if (givenKey !== '') return { ...merged, key: givenKey }
  requireSameAddress(stored, merged)
  const [first = ''] = splitKeys(secrets.openChannelKey(stored.key_sealed))
  return { ...merged, key: first }
}
