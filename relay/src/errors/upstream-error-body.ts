import { isRecord, member, parseJson, type JsonRecord, textOf } from '../bytes/json-value.ts'
import { choicesOf } from '../form/chat-chunk.ts'
import { durationMs } from './retry-after.ts'

export type ErrorBody = {
  readonly message: string
  /** `api`: a known provider's error form. `json`: another JSON object. `text`: anything else. */
  readonly source: 'api' | 'json' | 'text'
  readonly param: string | null
  readonly code: string | null
  /** All codes that classify the error, the most specific first. */
  readonly codes: readonly string[]
  readonly retryDelayMs: number | null
  /** Whether the body is a page, for example of a proxy or a firewall. */
  readonly isPage: boolean
}

const BODY_BYTES_MAX = 64 * 1024
/** Searching texts for secrets costs time that grows with length. Far less is ever shown. */
const TEXT_CHARACTERS_MAX = 16 * 1024

/** Reads the error forms of all providers. An unknown form has no message and no codes. */
export function readErrorBody(body: Buffer | string | object): ErrorBody {
  const text = Buffer.isBuffer(body) ? body.toString('utf8', 0, BODY_BYTES_MAX) : body
  const json = typeof text === 'string' ? parseJson(eventJson(text)) : text
  const root: unknown = Array.isArray(json) ? json[0] : json
  if (!isRecord(root)) return unreadable(text)
  const error = errorObject(root)
  const code = codeText(error['code']) ?? codeText(error['Code'])
  return {
    message: findMessage(root, error).trim(),
    source: isApiError(root, error) ? 'api' : 'json',
    param: codeText(error['param']),
    code,
    codes: findCodes(root, error, code),
    retryDelayMs: retryDelay(error),
    isPage: false,
  }
}

/** A short plain text is the message; an HTML page says nothing beyond its status. */
function unreadable(text: unknown): ErrorBody {
  const isText = typeof text === 'string' && text.trim() !== ''
  const isPage = isText && /^\s*</.test(text)
  const message = isText && !isPage ? text.trim() : ''
  const source = typeof text === 'string' ? 'text' : 'json'
  return { message, source, param: null, code: null, codes: [], retryDelayMs: null, isPage }
}

/**
 * Whether the form of the body marks an error, whatever its status. MiniMax and Spark send the
 * object that holds their errors with every answer.
 */
function isApiError(root: JsonRecord, error: JsonRecord): boolean {
  if (error === root['base_resp']) return isFailure(error['status_code'])
  if (error === root['header']) return isFailure(error['code'])
  return (
    error !== root ||
    isWord(root['error']) ||
    root['object'] === 'error' ||
    root['type'] === 'error' ||
    root['success'] === false ||
    isRecord(firstOf(root['errors'])) ||
    [root['error_code'], root['errCode'], root['code'], root['Code']].some(isFailure)
  )
}

const isWord = (value: unknown) => typeof value === 'string' && value !== ''

const SUCCESSES: ReadonlySet<unknown> = new Set([0, 200, '0', '200'])

const isFailure = (code: unknown) =>
  (isWord(code) || typeof code === 'number') && !SUCCESSES.has(code)

/** Some providers send an error as the first event of a stream. */
function eventJson(text: string): string {
  return /^\s*(?:event:[^\n]*\n)?data:(.*)/.exec(text)?.[1] ?? text
}

function errorObject(root: JsonRecord): JsonRecord {
  const candidates = [
    root['error'],
    member(root['response'], 'error'),
    member(root['Response'], 'Error'),
    root['base_resp'],
    root['header'],
    // OpenRouter reports the error in the choice that broke off.
    choicesOf(root)
      .map((choice) => choice['error'])
      .find(isRecord),
  ]
  return candidates.find(isRecord) ?? root
}

function findMessage(root: JsonRecord, error: JsonRecord): string {
  const candidates = [
    error['message'],
    root['error'],
    root['message'],
    root['msg'],
    root['err'],
    root['error_msg'],
    detailText(root['detail']),
    member(firstOf(root['errors']), 'message'),
    error['status_msg'],
    error['Message'],
    error['msg'],
    root['statusText'],
  ]
  const found = candidates.find((text) => typeof text === 'string' && text !== '')
  return textOf(found).slice(0, TEXT_CHARACTERS_MAX)
}

/** FastAPI's form: a text, or a list of locations and messages. */
function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail
  if (!Array.isArray(detail)) return ''
  return detail
    .map((item: unknown) => {
      const place = member(item, 'loc')
      const where = Array.isArray(place) ? `${place.map(codeText).join('.')}: ` : ''
      return where + (codeText(member(item, 'msg')) ?? '')
    })
    .join('; ')
}

/** Numeric codes differ in meaning between providers, so a prefix names the provider. */
function findCodes(root: JsonRecord, error: JsonRecord, code: string | null): string[] {
  const words = [
    prefixed('minimax', member(root['base_resp'], 'status_code')),
    prefixed('baidu', root['error_code']),
    zhipuCode(error['code']),
    prefixed('spark', member(root['header'], 'code')),
    root['statusText'],
    ...detailCodes(error['details']),
    Array.isArray(member(error['metadata'], 'reasons')) ? 'content_policy_violation' : undefined,
    code,
    error['type'],
    member(error['metadata'], 'error_type'),
    error['status'],
    member(error['innererror'], 'code'),
  ]
  return words.map(codeText).filter((word) => word !== null)
}

/** Anthropic sends a single code in the details, Google a list of reasons and quotas. */
function detailCodes(details: unknown): unknown[] {
  if (!Array.isArray(details)) return [member(details, 'error_code')]
  const violations = details.flatMap((item: unknown) => member(item, 'violations') ?? [])
  const isDaily = violations.some((violation) => /PerDay/.test(quotaId(violation)))
  return [
    ...details.map((item: unknown) => member(item, 'reason')),
    isDaily ? 'google:per_day' : undefined,
  ]
}

const quotaId = (violation: unknown) => codeText(member(violation, 'quotaId')) ?? ''

function prefixed(vendor: string, code: unknown): string | undefined {
  return typeof code === 'number' && code !== 0 ? `${vendor}:${code}` : undefined
}

/** Zhipu's codes are four-digit numbers in a string. */
function zhipuCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^1[0-3]\d\d$/.test(code) ? `zhipu:${code}` : undefined
}

function retryDelay(error: JsonRecord): number | null {
  if (!Array.isArray(error['details'])) return null
  return (
    error['details']
      .map((item: unknown) => durationMs(member(item, 'retryDelay')))
      .find((delay) => delay !== null) ?? null
  )
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}

function codeText(value: unknown): string | null {
  if (typeof value === 'string' && value !== '') return value.slice(0, TEXT_CHARACTERS_MAX)
  return typeof value === 'number' ? String(value) : null
}
