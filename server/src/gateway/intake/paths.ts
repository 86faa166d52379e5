import {
  anthropicDialect,
  type ClientDialect,
  type ContentCipher,
  compactDialect,
  createResponsesDialect,
  type RecentItems,
  geminiCallAt,
  geminiDialect,
  openaiDialect,
  RELAY_PATHS,
  type RelayEndpoint,
} from '@tollgate/relay'
import type { ClientRequestHead } from '../http-types.ts'

export const isRelayPath = (url: string) =>
  /^\/(?:v1(?:beta)?(?:[/?]|$)|(?:v2\/)?rerank\/?(?:\?|$)|dashboard\/billing\/)/.test(url)

const isRelayEndpoint = (name: string): name is RelayEndpoint => Object.hasOwn(RELAY_PATHS, name)

const RELAYED: ReadonlyMap<string, RelayEndpoint> = new Map([
  ...Object.keys(RELAY_PATHS)
    .filter(isRelayEndpoint)
    .map((endpoint): [string, RelayEndpoint] => [RELAY_PATHS[endpoint], endpoint]),
  // Cohere's clients use /v2; some clients use no version.
  ['/v2/rerank', 'rerank'],
  ['/rerank', 'rerank'],
])

export const REALTIME_PATH = '/v1/realtime'

const MESSAGES_PATH = '/v1/messages'
const COUNT_TOKENS_PATH = `${MESSAGES_PATH}/count_tokens`

export const RESPONSES_PATH = '/v1/responses'
const INPUT_TOKENS_PATH = `${RESPONSES_PATH}/input_tokens`
const COMPACT_PATH = `${RESPONSES_PATH}/compact`
/** Paths that act on responses stored at OpenAI, and the path that creates them. */
export const isStoredResponse = (path: string) =>
  path === RESPONSES_PATH || path.startsWith(`${RESPONSES_PATH}/`)

/** Requests of the Responses API may refer to items of earlier answers. */
const takesReferences = (path: string) => createsResponse(path) || path === INPUT_TOKENS_PATH

const createsResponse = (path: string) => path === RESPONSES_PATH || path === COMPACT_PATH

export type DialectOptions = {
  /** Null if nothing is kept. */
  readonly recentItems: () => RecentItems | null
  readonly cipherFor: (user: number) => ContentCipher
  readonly now: () => number
  /** Whether clients may use features that are billed in addition to tokens. */
  readonly allowsUnpriced: () => boolean
}

/** The dialect of one request, needed even for errors before anything is read. */
export function dialectOf(request: ClientRequestHead, options: DialectOptions): ClientDialect {
  const path = pathOf(request)
  if (path === RELAY_PATHS.chat) return openaiDialect
  const dialect = dialectAt(path, request, options)
  if (dialect !== null) return dialect
  const meant = meantPathOf(path)
  return (meant === null ? null : dialectAt(meant, request, options)) ?? openaiDialect
}

/** Null for OpenAI's. */
function dialectAt(
  path: string,
  request: ClientRequestHead,
  { recentItems, ...options }: DialectOptions,
): ClientDialect | null {
  if (path.startsWith(MESSAGES_PATH)) return anthropicDialect(options.cipherFor)
  if (takesReferences(path)) {
    const dialect = createResponsesDialect({ ...options, recentItems: recentItems() })
    return path === COMPACT_PATH ? compactDialect(dialect) : dialect
  }
  if (isForAnthropic(request, path)) return anthropicDialect(options.cipherFor)
  const call = geminiCallAt(path, searchOf(request))
  return call !== null || isForGoogle(request, path) ? geminiDialect(call, options.cipherFor) : null
}

/** Anthropic's clients list models at OpenAI's path, and always send their version header. */
const isForAnthropic = ({ headers }: ClientRequestHead, path: string) =>
  isModels(path) && headers['anthropic-version'] !== undefined

const isModels = (path: string) => path === '/v1/models' || path.startsWith('/v1/models/')

/**
 * Google's clients list models at OpenAI's path too, and send the key in their own header or in the
 * URL.
 */
function isForGoogle(request: ClientRequestHead, path: string): boolean {
  if (path === '/v1beta' || path.startsWith('/v1beta/')) return true
  if (!isModels(path)) return false
  const { authorization, 'x-goog-api-key': key } = request.headers
  const isInUrl = new URLSearchParams(searchOf(request)).has('key')
  return authorization === undefined && (key !== undefined || isInUrl)
}

export const isTokenCountPath = (path: string): boolean =>
  path === COUNT_TOKENS_PATH ||
  path === INPUT_TOKENS_PATH ||
  geminiCallAt(path, '')?.method === 'countTokens'

/** The model named in a GET path; empty for the list of models, null for other paths. */
export function modelAt(path: string): string | null {
  const [, name] = /^\/v1(?:beta)?\/models(?:\/(.*))?$/.exec(path) ?? [null, null]
  return name === null ? null : decodeName(name ?? '')
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/**
 * Known endpoints that the gateway does not offer. Most of them manage data stored at a provider.
 */
export const UNSUPPORTED_PATHS =
  /^\/v1\/(?:edits$|engines\/[^/]+\/embeddings$|fine[_-]tun|(?:assistants|(?:messages\/)?batches|conversations|files|threads|uploads|vector_stores)(?:\/|$))/

export function endpointAt(path: string): RelayEndpoint | undefined {
  const known = RELAYED.get(path)
  if (known !== undefined) return known
  if (path === MESSAGES_PATH || createsResponse(path)) return 'chat'
  switch (geminiCallAt(path, '')?.method) {
    case 'generateContent':
    case 'streamGenerateContent':
      return 'chat'
    case 'embedContent':
    case 'batchEmbedContents':
      return 'embeddings'
    default:
      return undefined
  }
}

/** How the log names the API that a client called. Dialects of chats have names of their own. */
export function endpointNameAt(path: string, endpoint: RelayEndpoint): string {
  if (endpoint !== 'chat' || path === RELAY_PATHS.chat) return endpoint
  if (path === MESSAGES_PATH) return 'messages'
  return createsResponse(path) ? 'responses' : 'gemini'
}

const RIGHT_START = /^\/v1(?:beta)?\/(?!\/|v1(?:beta)?\/)/
/** Everything up to the last version. */
const VERSIONED_BASE = /^.*\/v1(?:beta)?(?=\/)/

/**
 * The path that a client with a wrong base address means, as in `/models`, `/v1/v1/messages`,
 * `/openai/v1/models` or `/v1//responses`; null if the path is right or means nothing here.
 */
export function meantPathOf(path: string): string | null {
  if (RIGHT_START.test(path) || RELAYED.has(path)) return null
  const rest = path.replaceAll(/\/{2,}/g, '/').replace(VERSIONED_BASE, '')
  const isGoogles = geminiCallAt(`/v1beta${rest}`, '') !== null
  const meant = isGoogles ? `/v1beta${rest}` : `/v1${rest}`
  return isKnownPath(meant) ? meant : null
}

const isKnownPath = (path: string): boolean =>
  endpointAt(path) !== undefined ||
  isTokenCountPath(path) ||
  isStoredResponse(path) ||
  modelAt(path) !== null ||
  path === REALTIME_PATH ||
  UNSUPPORTED_PATHS.test(path)

/** Without trailing slashes. A regular expression would take quadratic time on runs of slashes. */
export function pathOf({ url = '/' }: ClientRequestHead): string {
  const mark = url.indexOf('?')
  let end = mark === -1 ? url.length : mark
  while (end > 1 && url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}

export function searchOf({ url = '' }: ClientRequestHead): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

export const protocolsOf = ({ headers }: ClientRequestHead): string[] =>
  String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
