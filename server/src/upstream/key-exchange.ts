import {
  type UpstreamSecrets,
  classifyUpstreamError,
  type KeyExchange,
  problemFromTransport,
  type UpstreamProblem,
} from '@tollgate/relay'
import { createLru } from '../lru.ts'
import { CallProblem } from './call-problem.ts'
import { withHeaders } from './channel-overrides.ts'
import type { Sender } from './exchange.ts'
import { isSuccess, sendAndCollect } from './read-response.ts'

const TOKENS_MAX = 10_000
const EXCHANGE_MS = 10_000
const ANSWER_BYTES_MAX = 64 * 1024
/** Tokens are not used in their last minutes, because requests with them take a while. */
const SPARE_MS = 300_000

type Token = { token: string; expiresAt: number }

export type CachedToken = {
  readonly token: string
  /**
   * Call when the provider refuses the token, which is then dropped. Returns true if the token was
   * cached, so the key may still be valid.
   */
  readonly onTokenRefused: () => boolean
}

/**
 * Exchanges keys for tokens and caches the tokens. Concurrent calls for one key share one exchange.
 */
export function createKeyExchange(upstream: Sender, now: () => number) {
  const tokens = createLru<string, Token>(TOKENS_MAX)
  const running = new Map<string, Promise<Token>>()

  const requestToken = async (
    exchange: KeyExchange,
    channelSecrets: UpstreamSecrets,
    call: ReturnType<KeyExchange['tokenRequest']>,
  ): Promise<Token> => {
    const signal = AbortSignal.timeout(EXCHANGE_MS)
    const bounds = { signal, bytesMax: ANSWER_BYTES_MAX }
    const headers = withHeaders(call.headers, channelSecrets.headers)
    const { proxy } = channelSecrets
    const answer = await sendAndCollect(upstream, { ...call, headers, proxy }, bounds)
    if (typeof answer === 'string') throw new CallProblem(problemFromTransport(answer), 0)
    const { status, body } = answer
    const token = isSuccess(status) ? exchange.readToken(body, now()) : null
    if (token !== null) return token
    const failure = { ...answer, body, channelSecrets, now: now() }
    throw new CallProblem(classifyUpstreamError(failure), status)
  }

  const cachedToken = (name: string, token: Token, isOld: boolean): CachedToken => ({
    token: token.token,
    onTokenRefused: () => {
      if (tokens.get(name) === token) tokens.delete(name)
      return isOld
    },
  })

  /** Synchronous while a token is cached. Throws `MalformedKey`; rejects with a `CallProblem`. */
  return (
    exchange: KeyExchange,
    channelSecrets: UpstreamSecrets,
  ): CachedToken | Promise<CachedToken> => {
    const name = JSON.stringify([channelSecrets.baseUrl, channelSecrets.key])
    const known = tokens.get(name)
    if (known !== undefined && known.expiresAt - SPARE_MS > now())
      return cachedToken(name, known, true)
    const pending =
      running.get(name) ??
      requestToken(exchange, channelSecrets, exchange.tokenRequest(channelSecrets))
        .then((token) => {
          tokens.set(name, token)
          return token
        })
        .finally(() => running.delete(name))
    running.set(name, pending)
    return pending.then((token) => cachedToken(name, token, false))
  }
}

/**
 * A cached token may be refused although its key is valid. The next attempt gets a new token, so
 * the problem is passing.
 */
export function withTokenRefused(
  problem: UpstreamProblem,
  onTokenRefused: CachedToken['onTokenRefused'] | undefined,
): UpstreamProblem {
  if (problem.kind !== 'auth' || onTokenRefused?.() !== true) return problem
  return { ...problem, kind: 'upstream_fault', isTransient: true, namesKey: false }
}

export type ExchangeKey = ReturnType<typeof createKeyExchange>
