import { ADDRESS_RULES, type AddressFault, type UpstreamProblemKind } from '@tollgate/contract'
import { MalformedKey, type UnsupportedParameterError } from '../form/codec-errors.ts'
import { type UpstreamSecrets, hideSecrets, redact } from './redact.ts'
import { retryAfterMs, type UpstreamHeaders } from './retry-after.ts'
import { type ErrorBody, readErrorBody } from './upstream-error-body.ts'
import { isDenial, kindOfCode, kindOfStatus, type Classification } from './upstream-error-kinds.ts'
import { kindOfText } from './upstream-error-phrases.ts'

export type UpstreamProblem = {
  readonly kind: UpstreamProblemKind
  /** For the client. Quotes the upstream only if the failure is about the request itself. */
  readonly message: string
  /** For operators: the upstream's message without secrets and addresses, at most 1 KB. */
  readonly detail: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
  readonly status: number
  /** The upstream's retry-after; null when it sent none. */
  readonly retryAfterMs: number | null
  /** Transient: a later attempt may succeed. */
  readonly isTransient: boolean
  /** The key or account is refused, which is a reason to disable the channel. */
  readonly namesKey: boolean
  /** The provider does not know the model, which puts the model on cooldown at this channel. */
  readonly namesModel: boolean
}

export type TransportFailure = keyof typeof TRANSPORT_DETAILS

type ErrorResponse = { readonly status: number; readonly type: string; readonly code: string }

const ERROR_RESPONSES: Readonly<
  Record<UpstreamProblemKind, ErrorResponse & { readonly message: string }>
> = {
  auth: upstreamFailure('The upstream provider refused its credentials.'),
  quota: upstreamFailure('The upstream provider account is exhausted.'),
  permission: upstreamFailure('The upstream provider refused access.'),
  rate_limit: {
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: 'The upstream provider is limiting requests. Try again shortly.',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    code: 'upstream_overloaded',
    message: 'The upstream provider is overloaded. Try again shortly.',
  },
  upstream_fault: upstreamFailure('The upstream provider failed.'),
  timeout: {
    status: 504,
    type: 'server_error',
    code: 'upstream_timeout',
    message: 'The upstream provider did not answer in time.',
  },
  model_missing: {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'The upstream provider does not serve this model.',
  },
  not_offered: {
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
    message: 'The upstream provider does not offer what the request asks for.',
  },
  invalid_request: badRequest('invalid_request', 'The upstream provider refused the request.'),
  context_length: badRequest('context_length_exceeded', 'The request is too long for the model.'),
  content_policy: badRequest('content_policy_violation', 'The content policy refused the request.'),
}

const TRANSIENT_KINDS = new Set<UpstreamProblemKind>([
  'rate_limit',
  'overloaded',
  'upstream_fault',
  'timeout',
])
const ABOUT_REQUEST = new Set<UpstreamProblemKind>([
  'not_offered',
  'invalid_request',
  'context_length',
  'content_policy',
])
const OK = 200

/** The request itself is refused: the client should see the reason, and the channel is healthy. */
export const isAboutRequest = ({ kind }: Pick<UpstreamProblem, 'kind'>) => ABOUT_REQUEST.has(kind)

function upstreamFailure(message: string): ErrorResponse & { message: string } {
  return { status: 502, type: 'server_error', code: 'upstream_error', message }
}

function badRequest(code: string, message: string): ErrorResponse & { message: string } {
  return { status: 400, type: 'invalid_request_error', code, message }
}

/**
 * Classifies a failed answer, including a failure inside a 200 answer or a stream. In a stream
 * `body` may be the parsed event. `now` (ms) is needed only for a retry-after that is a date.
 */
export function classifyUpstreamError(failure: {
  status: number
  headers: UpstreamHeaders
  body: Buffer | string | object
  channelSecrets: UpstreamSecrets
  now?: number
}): UpstreamProblem {
  const body = withoutSecrets(readErrorBody(failure.body), failure.channelSecrets)
  const status = effectiveStatus(failure.status, body)
  const { kind, namesKey, namesModel } = classify(status, body)
  const wait = retryAfterMs(failure.headers, failure.now) ?? body.retryDelayMs
  const quoted = isQuotable(failure.status, body) ? redact(body.message) : ''
  const answer = ERROR_RESPONSES[kind]
  const aboutRequest = isAboutRequest({ kind })
  return {
    kind,
    message: aboutRequest && quoted !== '' ? quoted : answer.message,
    detail: quoted || answerText(failure, body),
    type: answer.type,
    param: aboutRequest ? redactOrNull(body.param) : null,
    code: kind === 'invalid_request' ? (redactOrNull(body.code) ?? answer.code) : answer.code,
    status: kind === 'invalid_request' && status === 413 ? 413 : answer.status,
    retryAfterMs: wait,
    isTransient: TRANSIENT_KINDS.has(kind),
    namesKey,
    namesModel,
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300

/**
 * Channels can lead to servers that are not providers, and their content must not leak. Only the
 * message of an API error is quoted.
 */
const isQuotable = (status: number, { source }: ErrorBody) =>
  isSuccess(status) ? source === 'api' : source !== 'text'

const NOT_JSON = 'but not with a JSON object'
const NOTHING_REQUESTED = 'but with nothing that was asked for'

/** Describes an unusable answer without quoting its content. */
function answerText(
  { status, headers, body }: { status: number; headers: UpstreamHeaders; body: unknown },
  { source }: ErrorBody,
): string {
  const [type = ''] = MEDIA_TYPE.exec(String(headers['content-type'] ?? '')) ?? []
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : null
  const size = bytes === null ? '' : `, ${bytes} byte${bytes === 1 ? '' : 's'}`
  const form = type === '' || bytes === 0 ? '' : ` (${type}${size})`
  const deficiency = isSuccess(status)
    ? `, ${source === 'text' ? NOT_JSON : NOTHING_REQUESTED}`
    : ''
  return `The upstream answered with status ${status}${deficiency}${form}.`
}

const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/

/** The Chinese form of `answerText`; undefined for other texts. */
function answerTextInChinese(text: string): string | undefined {
  const [found, status, deficiency, type, bytes] =
    /^The upstream answered with status (\d+)(?:, ([a-zA-Z ]+))?(?: \(([^ ,()]+)(?:, (\d+) bytes?)?\))?\.$/.exec(
      text,
    ) ?? []
  if (found === undefined) return undefined
  const lacks = deficiency === NOT_JSON ? '，但内容不是 JSON 对象' : '，但没有所请求的内容'
  const size = bytes === undefined ? '' : `，${bytes} 字节`
  const form = type === undefined ? '' : `（${type}${size}）`
  return `上游返回 HTTP ${status}${deficiency === undefined ? '' : lacks}${form}。`
}

function withoutSecrets(body: ErrorBody, secrets: UpstreamSecrets): ErrorBody {
  const hidden = (text: string | null) => (text === null ? null : hideSecrets(text, secrets))
  const { message, param, code } = body
  return {
    ...body,
    message: hideSecrets(message, secrets),
    param: hidden(param),
    code: hidden(code),
  }
}

/** The problem of a request that was not sent. The client gets the error's message. */
export function problemFromEncoding(
  error: UnsupportedParameterError | MalformedKey,
): UpstreamProblem {
  const { message } = error
  const problem = { detail: message, retryAfterMs: null, isTransient: false, namesModel: false }
  if (error instanceof MalformedKey) {
    return { ...ERROR_RESPONSES.auth, ...problem, kind: 'auth', param: null, namesKey: true }
  }
  const { param } = error
  const answer = {
    ...ERROR_RESPONSES.invalid_request,
    code: 'unsupported_by_provider',
    message,
    param,
  }
  return { ...answer, ...problem, kind: 'invalid_request', namesKey: false }
}

/** The problem of a request without a complete answer. */
export function problemFromTransport(failure: TransportFailure): UpstreamProblem {
  const kind = failure.endsWith('timeout') ? 'timeout' : 'upstream_fault'
  const { status, type, code, message } = ERROR_RESPONSES[kind]
  return {
    kind,
    message,
    detail: TRANSPORT_DETAILS[failure].en,
    type,
    param: null,
    code,
    status,
    retryAfterMs: null,
    // A refused address stays refused until the channel or the rules change. An empty answer is
    // likely to come again.
    isTransient: !failure.startsWith('address_') && failure !== 'empty',
    namesKey: false,
    namesModel: false,
  }
}

/** The problem of a misconfigured channel that cannot be called; `detail` says why. */
export const problemFromSetup = (detail: string): UpstreamProblem => ({
  ...problemFromTransport('connect'),
  detail,
  isTransient: false,
})

const TRANSPORT_DETAILS = {
  connect: { en: 'No connection to the upstream could be made.', zh: '无法连接上游。' },
  address_guarded: {
    en: 'The channel or its proxy leads to a link-local, cloud metadata or unspecified address. Such addresses are refused unless UPSTREAM_PRIVATE_NETWORKS lists them.',
    zh: '该渠道或其代理服务器指向链路本地、云元数据或未指定地址。除非在 UPSTREAM_PRIVATE_NETWORKS 中列出，否则不会连接此类地址。',
  },
  address_private: {
    en: 'The channel or its proxy leads to a private network, which the option ChannelPrivateNetworksEnabled forbids.',
    zh: '该渠道或其代理服务器指向内网地址，而选项 ChannelPrivateNetworksEnabled 已关闭内网访问。',
  },
  reset: { en: 'The upstream closed the connection.', zh: '上游关闭了连接。' },
  closed_early: {
    en: 'The upstream ended its answer before it was complete.',
    zh: '上游的回答尚未完整就已结束。',
  },
  empty: { en: 'The upstream answered with nothing.', zh: '上游返回了空的回答。' },
  malformed: {
    en: 'The upstream sent something that is not an answer.',
    zh: '上游返回的内容无法识别。',
  },
  too_large: { en: 'The upstream sent too much data.', zh: '上游返回的内容过大。' },
  packed: {
    en: 'The upstream compressed its answer, although no encoding was accepted.',
    zh: '已要求上游不要压缩，但上游仍返回了压缩内容。',
  },
  connect_timeout: { en: 'Connecting to the upstream took too long.', zh: '连接上游超时。' },
  first_byte_timeout: {
    en: 'The upstream did not begin to answer in time.',
    zh: '上游未在限定时间内开始响应。',
  },
  idle_timeout: {
    en: 'The upstream stopped in the middle of its answer.',
    zh: '上游在回答中途停止了输出。',
  },
  total_timeout: {
    en: 'The upstream took too long for the whole answer.',
    zh: '上游完成整个回答的时间过长。',
  },
} as const satisfies Readonly<Record<string, { en: string; zh: string }>>

function baseUrlDetail(fault: AddressFault): { en: string; zh: string } {
  const { en, zh } = ADDRESS_RULES[fault]
  return { en: `The base URL of the channel ${en}.`, zh: `该渠道的代理地址（Base URL）${zh}。` }
}

/** Reasons why a successful call to a provider is of no use, and why a channel cannot be called. */
export const CALL_DETAILS = {
  noBalance: { en: 'There is no balance in the answer.', zh: '返回内容中没有余额。' },
  noModels: { en: 'There is no list of models in the answer.', zh: '返回内容中没有模型列表。' },
  noTest: {
    en: 'No endpoint of this channel type can test the model.',
    zh: '该渠道类型没有可用于测试此模型的接口。',
  },
  noUsage: { en: 'The answer reports no usage.', zh: '上游的回答没有报告用量。' },
  noBaseUrl: { en: 'The channel has no base URL.', zh: '该渠道未填写代理地址（Base URL）。' },
  baseUrlFragment: baseUrlDetail('fragment'),
  baseUrlQuery: baseUrlDetail('query'),
  baseUrlCharacters: baseUrlDetail('characters'),
  proxyAddress: {
    en: 'The proxy address of the channel must have no "#", "?", spaces, control characters or backslashes.',
    zh: '该渠道的代理服务器地址不能包含“#”、“?”、空格、控制字符或反斜杠。',
  },
} as const

const MISSING_DETAILS: readonly { en: string; zh: string }[] = [
  CALL_DETAILS.noBalance,
  CALL_DETAILS.noModels,
]

const CHINESE_DETAILS = new Map<string, string>(
  [...Object.values(TRANSPORT_DETAILS), ...Object.values(CALL_DETAILS)].map(({ en, zh }) => [
    en,
    zh,
  ]),
)

/** Translates details written here; the upstream's own messages stay the same in both languages. */
export function detailInBoth(detail: string): { en: string; zh: string } {
  const lack = MISSING_DETAILS.find(({ en }) => detail.startsWith(`${en} `))
  if (lack !== undefined) {
    const { zh } = detailInBoth(detail.slice(lack.en.length + 1))
    return { en: detail, zh: lack.zh + zh }
  }
  return { en: detail, zh: CHINESE_DETAILS.get(detail) ?? answerTextInChinese(detail) ?? detail }
}

/** Some providers (OpenRouter) put the HTTP status into the code of a 200 answer. */
function effectiveStatus(status: number, body: ErrorBody): number {
  if (status !== OK) return status
  const code = Number(body.code)
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : status
}

/**
 * Codes and types count most, then the status. Message text is trusted least, since clients can
 * inject text. A status alone never blames the model: the path may be wrong as well.
 */
function classify(
  status: number,
  body: ErrorBody,
): Classification & Pick<UpstreamProblem, 'namesModel'> {
  const byCode = kindByCode(status, body)
  // The codes of some providers say no more than that the request is wrong.
  const isVague = byCode === undefined || byCode.kind === 'invalid_request'
  const byText = isVague ? kindOfText(status, body.message) : undefined
  const known = byCode === undefined || byText?.kind === 'context_length' ? byText : byCode
  const { kind, namesKey } = known ?? fallbackKind(status, body)
  return {
    kind,
    namesKey: namesKey && !isAboutOneRequest({ kind }, body),
    namesModel: known?.kind === 'model_missing',
  }
}

/** For answers that do not say clearly what is refused. */
function fallbackKind(status: number, { codes, isPage }: ErrorBody): Classification {
  if (codes.some(isDenial)) return { kind: 'permission', namesKey: false }
  if (status === OK && codes.includes('invalid_request_error')) {
    return { kind: 'invalid_request', namesKey: false }
  }
  const kind = kindOfStatus(status)
  return { kind, namesKey: (kind === 'auth' || kind === 'quota') && !isPage }
}

/** Google uses the same code for rate limits and exhausted credits. Status 402 means no credits. */
function kindByCode(status: number, { codes }: ErrorBody): Classification | undefined {
  const found = codes.map(kindOfCode).find((kind) => kind !== undefined)
  const isOutOfCredits = status === 402 && found?.kind === 'rate_limit'
  return isOutOfCredits ? { kind: 'quota', namesKey: true } : found
}

/** A key may lack a single model, and an account may be too poor for just one large request. */
function isAboutOneRequest(
  { kind }: Pick<UpstreamProblem, 'kind'>,
  { message }: ErrorBody,
): boolean {
  if (kind === 'permission') return /\b(?:model|resource|operation)\b/i.test(message)
  return kind === 'quota' && /can only afford|fewer max_tokens/i.test(message)
}

function redactOrNull(text: string | null): string | null {
  return text === null ? null : redact(text) || null
}
