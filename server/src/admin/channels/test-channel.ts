import { AppError } from '@tollgate/contract'
import { isServable } from '@tollgate/relay/catalogue'
import { findChannelToProbe, updateChannel } from '../../store/channels.ts'
import { probeChannel, type ProbeResult } from '../../upstream/probe.ts'
import { commaList } from '../comma-list.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** Asks the channel one small question, with its first model unless another is named. */
export async function testChannel(
  deps: AdminDeps,
  { id, model }: { id: number; model: string | undefined },
): Promise<ProbeResult> {
  const { database, secrets, settings, upstream, now } = deps
  const channel = await findChannelToProbe(database.kysely, id)
  if (!channel) throw new AppError('channel_not_found')
  if (!isServable(channel.type)) throw new AppError('channel_type_unserved', { type: channel.type })
  const { ServerAddress, SystemName } = settings.current()
  const result = await probeChannel({
    upstream,
    channel: { ...channel, key: secrets.openChannelKey(channel.key_sealed) },
    model: model === undefined || model === '' ? (commaList(channel.models)[0] ?? '') : model,
    siteUrl: ServerAddress,
    siteName: SystemName,
    now,
  })
  await updateChannel(database.kysely, id, {
    test_time: nowSeconds(deps),
    ...(result.ok ? { response_time: result.milliseconds } : {}),
  })
  if (!result.ok) throw new AppError('channel_test_failed', { reason: result.message })
  return result
}
