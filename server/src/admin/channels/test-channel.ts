import { AppError, type channelEndpoints, KEY_REFUSED, type TestEndpoint } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import { isServable } from '@tollgate/relay/catalogue'
import { mappedModel } from '../../domain/model-mapping.ts'
import { judgeTest, type TestVerdict } from '../../domain/test-verdict.ts'
import type { Reply } from '../../http/mount.ts'
import { switchChannel } from '../../store/channel-status.ts'
import { findChannelToProbe, noteTest } from '../../store/channels.ts'
import { noteKeyTest } from '../../store/key-tests.ts'
import { enqueue } from '../../store/outbox.ts'
import { probeStored } from '../../upstream/probe-stored.ts'
import type { ProbeResult } from '../../upstream/probe.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

type TestChoice = {
  id: number
  model?: string | undefined
  endpoint?: TestEndpoint | undefined
  /** The id of a key. */
  key_id?: string | undefined
}

type StoredChannel = NonNullable<Awaited<ReturnType<typeof findChannelToProbe>>>

/**
 * Sends a small request with the model that is best to test, or with `model` if the channel serves
 * it.
 */
export async function testChannel(
  deps: AdminDeps,
  { id, model, endpoint, key_id }: TestChoice,
): Promise<Reply<typeof channelEndpoints.testChannel>> {
  const channel = await findChannelToProbe(deps.database.kysely, id)
  if (!channel) throw new AppError('channel_not_found')
  if (!isServable(channel.type)) throw new AppError('channel_type_unserved', { type: channel.type })
  const result = await probeStored(deps, channel, { model, endpoint, keyId: key_id })
  // The result of a single key says little about the channel.
  const verdict =
    key_id === undefined
      ? await record(deps, channel, result)
      : await recordKey(deps, channel, result, key_id)
  // A single test can re-enable an auto-disabled channel, but never disables: the caller sees the
  // result.
  if (verdict?.event === 'enabled') await applyVerdict(deps, channel, verdict)
  // Old front ends display either the tested model or the requested one.
  const asked = {
    model: result.model,
    modelName: model || result.model,
    endpoint: result.endpoint,
  }
  if (result.outcome !== 'passed') {
    const code = result.outcome === 'failed' ? 'channel_test_failed' : 'channel_not_testable'
    const error = new AppError(code, { reason: detailInBoth(result.message) })
    error.extra = { time: 0, ...asked, ...(result.namesKey && { code: KEY_REFUSED }) }
    throw error
  }
  const time = result.milliseconds / 1000
  return { message: result.reply, data: time, extra: { time, ...asked } }
}

/** One step of a bulk run, which may also disable the channel or report it as slow. */
export async function testInRun(
  deps: AdminDeps,
  id: number,
  signal: AbortSignal,
): Promise<boolean> {
  const channel = await findChannelToProbe(deps.database.kysely, id)
  const wasDeleted = channel === undefined
  if (wasDeleted) return true
  if (!isServable(channel.type)) return false
  const result = await probeStored(deps, channel, { signal })
  if (signal.aborted) return false
  const verdict = await record(deps, channel, result)
  if (verdict) await applyVerdict(deps, channel, verdict)
  return result.outcome !== 'failed'
}

async function record(
  deps: AdminDeps,
  channel: StoredChannel,
  result: ProbeResult,
): Promise<TestVerdict | null> {
  if (result.outcome === 'passed') {
    const upstreamModel = mappedModel(channel.model_mapping, result.model)
    deps.health.recordSuccess(channel, upstreamModel, result.milliseconds)
  }
  await noteTest(deps.database.kysely, channel, result, nowSeconds(deps))
  const tested = { ...result, status: channel.status, lastMs: channel.response_time }
  return judgeTest(tested, deps.settings.current())
}

async function recordKey(
  deps: AdminDeps,
  channel: StoredChannel,
  result: ProbeResult,
  key: string,
) {
  const { outcome, milliseconds, message } = result
  const test = {
    key,
    milliseconds: outcome === 'passed' ? Math.max(1, milliseconds) : 0,
    error: message,
  }
  await noteKeyTest(deps.database.kysely, channel, test, nowSeconds(deps))
  return null
}

async function applyVerdict(deps: AdminDeps, channel: StoredChannel, verdict: TestVerdict) {
  const { database, log } = deps
  const { id, name } = channel
  const { event, reason } = verdict
  const now = nowSeconds(deps)
  if (event === 'slow') {
    const alert = { type: 'channel-alert', channel_id: id, name, event, reason } as const
    return database.transaction((tx) => enqueue(tx, alert, now))
  }
  const { zh: reason_zh } = detailInBoth(reason)
  const change = { event, reason, ...(reason_zh !== reason && { reason_zh }) }
  const switched = await database.change((tx) => switchChannel(tx, channel, change, now))
  if (switched) log.warn({ channel: id, reason }, `a test has ${event} a channel`)
}
