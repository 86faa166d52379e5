import { LRUCache } from 'lru-cache'
import {
  type AskedWith,
  classifyUpstreamError,
  type KeyExchange,
  problemFromTransport,
  type UpstreamProblem,
} from '@tollgate/relay'
import { CallProblem } from './call-problem.ts'
import type { Sender } from './exchange.ts'
import { isSuccess, sendForWhole } from './read-response.ts'

const TOKENS_MAX = 10_000
const EXCHANGE_MS = 10_000
const ANSWER_BYTES_MAX = 64 * 1024
/** Tokens are not used in their last minutes, because requests with them take a while. */
const SPARE_MS = 300_000

type Token = { token: string; expiresAt: number }

export type HeldToken = {
  readonly token: string
  /**
   * Call when the provider refuses the token, which is then dropped. Returns true if the token was
   * cached, so the key may still be valid.
   */
  readonly refused: () => boolean
}

/**
 * Exchanges keys for tokens and caches the tokens. Concurrent calls for one key share one exchange.
 */
export function createKeyExchange(upstream: Sender, now: () => number) {
  const held = new LRUCache<string, Token>({ max: TOKENS_MAX })
  const running = new Map<string, Promise<Token>>()

  const ask = async (
    exchange: KeyExchange,
    askedWith: AskedWith,
    call: ReturnType<KeyExchange['ask']>,
  ): Promise<Token> => {
    const signal = AbortSignal.timeout(EXCHANGE_MS)
    const bounds = { signal, bytesMax: ANSWER_BYTES_MAX }
    const answer = await sendForWhole(upstream, { ...call, proxy: askedWith.proxy }, bounds)
    if (typeof answer === 'string') throw new CallProblem(problemFromTransport(answer), 0)
    const { status, body } = answer
    const token = isSuccess(status) ? exchange.read(body, now()) : null
    if (token !== null) return token
    const failure = { ...answer, body, askedWith, now: now() }
    throw new CallProblem(classifyUpstreamError(failure), status)
  }

  const hold = (name: string, token: Token, isOld: boolean): HeldToken => ({
    token: token.token,
    refused: () => {
      if (held.get(name) === token) held.delete(name)
      return isOld
    },
  })

  /** Synchronous while a token is cached. Throws `MalformedKey`; rejects with a `CallProblem`. */
  return (exchange: KeyExchange, asked: AskedWith): HeldToken | Promise<HeldToken> => {
    const name = JSON.stringify([asked.baseUrl, asked.key])
    const known = held.get(name)
    if (known !== undefined && known.expiresAt - SPARE_MS > now()) return hold(name, known, true)
    const asking =
      running.get(name) ??
      ask(exchange, asked, exchange.ask(asked))
        .then((token) => {
          held.set(name, token)
          return token
        })
        .finally(() => running.delete(name))
    running.set(name, asking)
    return asking.then((token) => hold(name, token, false))
  }
}

/**
 * A cached token may be refused although its key is valid. The next attempt gets a new token, so
 * the problem is passing.
 */
export function withTokenRefused(
  problem: UpstreamProblem,
  refused: HeldToken['refused'] | undefined,
): UpstreamProblem {
  if (problem.kind !== 'auth' || refused?.() !== true) return problem
  return { ...problem, kind: 'upstream_fault', passing: true, namesKey: false }
}

export type ExchangeKey = ReturnType<typeof createKeyExchange>
