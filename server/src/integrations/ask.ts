import { Agent, request } from 'undici'
import type { InBoth } from '@tollgate/contract'

/** Sends one small request to a server people sign in by, or that passes messages on. */
export type Ask = (question: Question) => Promise<Answer>

export type Question = {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON, or as a form when it is URLSearchParams. */
  body?: object
}

export type Answer = { status: number; json: unknown }

/** The other server did not answer, or not in a form we can read; the reason names no secret. */
export class AskError extends Error {
  override readonly name = 'AskError'
  readonly reason: InBoth

  constructor(reason: InBoth, options?: ErrorOptions) {
    super(reason.en, options)
    this.reason = reason
  }
}

const DEADLINE_MS = 5000
const ANSWER_BYTES_MAX = 256 * 1024

/** Certificates are always checked, redirects never followed. */
export function createAsk({ deadlineMs = DEADLINE_MS } = {}): {
  ask: Ask
  close: () => Promise<void>
} {
  const agent = new Agent({ connectTimeout: deadlineMs, maxResponseSize: ANSWER_BYTES_MAX })
  return {
    ask: async ({ method, url, headers, body }) => {
      try {
        const isForm = body instanceof URLSearchParams
        const answer = await request(url, {
          method,
          dispatcher: agent,
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
        return { status: answer.statusCode, json: readJson(await answer.body.text()) }
      } catch (error) {
        throw error instanceof AskError
          ? error
          : new AskError(reasonOf(error, deadlineMs), { cause: error })
      }
    },
    close: () => agent.close(),
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AskError({ en: 'the answer is not JSON', zh: '返回内容不是 JSON' }, { cause: error })
  }
}

function reasonOf(error: unknown, deadlineMs: number): InBoth {
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
