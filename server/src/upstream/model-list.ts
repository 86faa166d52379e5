import {
  CALL_DETAILS,
  channelAddressFault,
  classifyUpstreamError,
  modelListRequest,
  problemFromTransport,
  readModelList,
} from '@tollgate/relay'
import { overridesOf, withHeaders } from './channel-overrides.ts'
import { proxyOf } from './channel-proxy.ts'
import { isSuccess, sendAndCollect } from './read-response.ts'
import type { Upstream } from './send.ts'

export type ModelListResult =
  | { type: 'known'; models: string[] }
  | { type: 'unsupported' }
  /** Contains no provider secrets. */
  | { type: 'failed'; reason: string }

const LIST_MS = 15_000
const LIST_BYTES_MAX = 4 * 1024 * 1024

type ModelListChannel = { type: number; key: string; base_url: string; config: string }

export async function fetchModelList(
  upstream: Upstream,
  { type, key, base_url: baseUrl, config }: ModelListChannel,
  now: number,
): Promise<ModelListResult> {
  const proxy = proxyOf(config)
  const fault = channelAddressFault({ type, baseUrl, proxy })
  if (fault !== null) return failed(fault)
  const request = modelListRequest({ type, baseUrl, key })
  if (request === null) return { type: 'unsupported' }
  const bounds = { signal: AbortSignal.timeout(LIST_MS), bytesMax: LIST_BYTES_MAX }
  const { headers: added } = overridesOf(config)
  const headers = withHeaders({ 'accept-encoding': 'identity', ...request.headers }, added)
  const call = { ...request, headers, body: null, proxy }
  const answer = await sendAndCollect(upstream, call, bounds)
  if (typeof answer === 'string') return failed(problemFromTransport(answer).detail)
  const models = isSuccess(answer.status) ? readModelList(type, answer.body) : null
  if (models !== null) return { type: 'known', models }
  const channelSecrets = { key, baseUrl, proxy, headers: added }
  const { detail } = classifyUpstreamError({ ...answer, channelSecrets, now })
  return failed(isSuccess(answer.status) ? `${CALL_DETAILS.noModels.en} ${detail}` : detail)
}

const failed = (reason: string): ModelListResult => ({ type: 'failed', reason })
