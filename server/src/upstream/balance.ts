import {
  balanceQuery,
  CALL_DETAILS,
  channelAddressFault,
  classifyUpstreamError,
  problemFromTransport,
} from '@tollgate/relay'
import { originOf } from '@tollgate/relay/catalogue'
import type { Secrets } from '../secrets.ts'
import { splitKeys } from './channel-keys.ts'
import { overridesOf, withHeaders } from './channel-overrides.ts'
import { proxyOf } from './channel-proxy.ts'
import { isSuccess, sendAndCollect, deadlineSignal } from './read-response.ts'
import type { Upstream } from './send.ts'

export type BalanceResult =
  | { type: 'known'; balance: number }
  | { type: 'unsupported' }
  /** Contains no provider secrets. */
  | { type: 'failed'; reason: string }

const BALANCE_MS = 10_000
const BALANCE_BYTES_MAX = 256 * 1024

type Stored = { type: number; key_sealed: string; base_url: string; config: string }

/** The balance of the first key of a channel. */
export function fetchStoredBalance(
  { secrets, upstream, now }: { secrets: Secrets; upstream: Upstream; now: () => number },
  channel: Stored,
  signal?: AbortSignal,
): Promise<BalanceResult> {
  const [key = ''] = splitKeys(secrets.openChannelKey(channel.key_sealed))
  return fetchBalance({ upstream, channel: { ...channel, key }, now: now(), signal })
}

/** Asks the provider for the balance of a key, in the provider's own unit. */
export async function fetchBalance({
  upstream,
  channel: { type, key, base_url: baseUrl, config },
  now,
  signal,
}: {
  upstream: Upstream
  channel: { type: number; key: string; base_url: string; config: string }
  /** Epoch milliseconds. */
  now: number
  signal?: AbortSignal | undefined
}): Promise<BalanceResult> {
  const proxy = proxyOf(config)
  const fault = channelAddressFault({ type, baseUrl, proxy })
  if (fault !== null) return failed(fault)
  const query = balanceQuery({ type, baseUrl, key, now })
  if (query === null) return { type: 'unsupported' }
  const bounds = { signal: deadlineSignal(BALANCE_MS, signal), bytesMax: BALANCE_BYTES_MAX }
  const { headers: added } = overridesOf(config)
  const channelSecrets = { key, baseUrl, proxy, headers: added }
  const origin = originOf({ type, base_url: baseUrl })
  let step = query.next()
  let detail = ''
  while (!step.done) {
    const { url } = step.value
    // Some providers report balances at another host, for which the headers are not meant.
    const isOwn = URL.canParse(url) && new URL(url).origin === origin
    const headers = isOwn ? withHeaders(step.value.headers, added) : step.value.headers
    const call = { url, headers, body: null, proxy }
    const answer = await sendAndCollect(upstream, call, bounds)
    if (typeof answer === 'string') return failed(problemFromTransport(answer).detail)
    detail = classifyUpstreamError({ ...answer, channelSecrets, now }).detail
    if (!isSuccess(answer.status)) return failed(detail)
    step = query.next(answer.body.toString())
  }
  if (step.value === null) return failed(`${CALL_DETAILS.noBalance.en} ${detail}`)
  return { type: 'known', balance: step.value }
}

const failed = (reason: string): BalanceResult => ({ type: 'failed', reason })
