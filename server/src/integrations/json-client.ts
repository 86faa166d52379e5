import type { Agent } from 'undici'
import type { InBoth } from '@tollgate/contract'
import type { AddressRefusal } from '../network/address-reach.ts'
import { AddressRefused, createOutgoing, type Outgoing } from '../network/outgoing.ts'

/** Sends one small request to an identity provider or a message service. */
export type JsonClient = (question: JsonRequest) => Promise<JsonResponse>

export type JsonRequest = {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  /** Sent as a form if it is URLSearchParams, otherwise as JSON. */
  body?: object
  /** False for a server whose answer need not be JSON; `json` is then null. */
  readsAnswer?: boolean
}

export type JsonResponse = {
  status: number
  /** Null for an error whose body is not JSON. */
  json: unknown
  /** The header `Retry-After`. */
  retryAfter?: string | undefined
}

/** The server did not answer, or its answer was unreadable. The reason contains no secret. */
export class JsonClientError extends Error {
  override readonly name = 'AskError'
  readonly reason: InBoth

  constructor(reason: InBoth, options?: ErrorOptions) {
    super(reason.en, options)
    this.reason = reason
  }
}

const DEADLINE_MS = 5000
const ANSWER_BYTES_MAX = 256 * 1024

/** Lists of prices have a few megabytes. */
export const PRICE_LIST_RULES = { deadlineMs: 20_000, answerBytesMax: 16 * 1024 * 1024 } as const

/** Always checks certificates and never follows redirects. */
export function createJsonClient({
  deadlineMs = DEADLINE_MS,
  answerBytesMax = ANSWER_BYTES_MAX,
  outgoing = createOutgoing(),
}: { deadlineMs?: number; answerBytesMax?: number; outgoing?: Outgoing } = {}): {
  ask: JsonClient
  close: () => Promise<void>
} {
  let agent: Agent | null = null
  // The library is loaded with the first call, because it takes 6 MB.
  const open = async () => {
    const undici = await import('undici')
    agent ??= new undici.Agent({
      connect: { lookup: outgoing.lookup, timeout: deadlineMs },
      // No connection is reused, because the address rules may change at any time.
      pipelining: 0,
      maxResponseSize: answerBytesMax,
    })
    return { dispatcher: agent, request: undici.request }
  }
  return {
    ask: async ({ method, url, headers, body, readsAnswer = true }) => {
      try {
        outgoing.check(new URL(url).hostname)
        const isForm = body instanceof URLSearchParams
        const { dispatcher, request } = await open()
        const answer = await request(url, {
          method,
          dispatcher,
          signal: AbortSignal.timeout(deadlineMs),
          headers: {
            accept: 'application/json',
            'user-agent': 'Tollgate',
            ...(body && {
              'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
            }),
            ...headers,
          },
          body: body ? (isForm ? body.toString() : JSON.stringify(body)) : null,
        })
        const { statusCode: status, headers: given } = answer
        const retryAfter = given['retry-after']?.toString()
        const text = await answer.body.text()
        return { status, json: readsAnswer ? readJson(text, status) : null, retryAfter }
      } catch (error) {
        throw error instanceof JsonClientError
          ? error
          : new JsonClientError(reasonOf(error, deadlineMs), { cause: error })
      }
    },
    close: async () => agent?.close(),
  }
}

function readJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (status >= 400) return null
    // The parser's message quotes the answer, which must not be logged.
    throw new JsonClientError({ en: 'the answer is not JSON', zh: '返回内容不是 JSON' })
  }
}

function reasonOf(error: unknown, deadlineMs: number): InBoth {
  if (error instanceof AddressRefused) return ADDRESS_REASONS[error.refusal]
  if (!(error instanceof Error)) return { en: 'the request failed', zh: '请求失败' }
  if (error.name === 'TimeoutError') {
    return { en: `no answer within ${deadlineMs} ms`, zh: `${deadlineMs} 毫秒内没有响应` }
  }
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return { en: 'the answer is too large', zh: '返回内容过大' }
  }
  if (/CERT|SELF_SIGNED|ALTNAME/.test(code)) {
    return { en: `its certificate is not valid (${code})`, zh: `对方证书无效（${code}）` }
  }
  return code === ''
    ? { en: 'the connection failed', zh: '连接失败' }
    : { en: `the connection failed (${code})`, zh: `连接失败（${code}）` }
}

const ADDRESS_REASONS: Readonly<Record<AddressRefusal, InBoth>> = {
  guarded: {
    en: 'it is at a link-local, cloud metadata or unspecified address, which is not connected to',
    zh: '对方位于链路本地、云元数据或未指定地址，不会连接此类地址',
  },
  private: {
    en: 'it is in a private network, which the option ChannelPrivateNetworksEnabled forbids',
    zh: '对方位于内网，而选项 ChannelPrivateNetworksEnabled 已关闭内网访问',
  },
}
