import { LRUCache } from 'lru-cache'
import { classifyUpstreamError, type KeyExchange, problemFromTransport } from '@tollgate/relay'
import { CallProblem } from './call-problem.ts'
import { hideKey, isSuccess, sendForWhole } from './collect.ts'
import type { Upstream } from './send.ts'

const TOKENS_MAX = 10_000
const EXCHANGE_MS = 10_000
const ANSWER_BYTES_MAX = 64 * 1024
/** A token is not used in its last minutes: requests that carry it take a while. */
const SPARE_MS = 300_000

type Asked = { baseUrl: string; key: string }
type Token = { token: string; expiresAt: number }

/** Changes keys for tokens: once while a token holds, however many ask at the same time. */
export function createKeyExchange(upstream: Pick<Upstream, 'send' | 'limits'>, now: () => number) {
  const held = new LRUCache<string, Token>({ max: TOKENS_MAX })
  const running = new Map<string, Promise<Token>>()

  const ask = async (exchange: KeyExchange, asked: Asked): Promise<Token> => {
    const signal = AbortSignal.timeout(EXCHANGE_MS)
    const bounds = { signal, bytesMax: ANSWER_BYTES_MAX }
    const answer = await sendForWhole(upstream, exchange.ask(asked), bounds)
    if (typeof answer === 'string') throw new CallProblem(problemFromTransport(answer), 0)
    const { status, body } = answer
    const token = isSuccess(status) ? exchange.read(body, now()) : null
    if (token !== null) return token
    const failure = { ...answer, body: hideKey(body, asked.key), now: now() }
    throw new CallProblem(classifyUpstreamError(failure), status)
  }

  /** At once while a token holds. Throws `MalformedKey` and `CallProblem`. */
  return (exchange: KeyExchange, asked: Asked): string | Promise<string> => {
    const name = JSON.stringify([asked.baseUrl, asked.key])
    const known = held.get(name)
    if (known !== undefined && known.expiresAt - SPARE_MS > now()) return known.token
    const asking =
      running.get(name) ??
      ask(exchange, asked)
        .then((token) => {
          held.set(name, token)
          return token
        })
        .finally(() => running.delete(name))
    running.set(name, asking)
    return asking.then(({ token }) => token)
  }
}

export type ExchangeKey = ReturnType<typeof createKeyExchange>
