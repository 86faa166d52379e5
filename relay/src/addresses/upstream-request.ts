import { memoize } from '../bytes/memoize.ts'
import type { ProviderDescriptor } from '../provider.ts'

const MODEL_PLACEHOLDER = '{model}'
const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com/'
const TASK_PATH = /\/(?:chat\/completions|completions|embeddings|messages|responses|rerank|ocr)$/

/**
 * The URL of a request. `path` starts with /v1; `baseUrl` is the channel's own, empty for the
 * default. Null when neither has an address, and when the base has a placeholder for the model but
 * no model is given: the result would be the base itself, whatever the path.
 */
export function upstreamUrl(request: {
  descriptor: ProviderDescriptor
  baseUrl: string
  path: string
  model?: string
}): string | null {
  const { descriptor, path, model } = request
  const given = request.baseUrl.trim() || descriptor.baseUrl
  if (given === '') return null
  const { address: base, query } = splitBase(given)
  if (descriptor.versionPath !== undefined) {
    return joinOwnVersion(base, path, descriptor.versionPath) + query
  }
  if (descriptor.takesWholeAddress !== true) return join(base, path, /\/v1$/) + query
  if (model === undefined && base.includes(MODEL_PLACEHOLDER)) return null
  return joinCustom(base, path, model ?? '') + query
}

/** The base may be a complete URL, with or without a placeholder for the model. */
function joinCustom(base: string, path: string, model: string): string {
  if (base.includes(MODEL_PLACEHOLDER))
    return base.replaceAll(MODEL_PLACEHOLDER, addressPart(model))
  const task = TASK_PATH.exec(base)?.[0]
  if (task === undefined) return join(base, path, /\/v\d+$/)
  if (withoutVersion(path) === task) return base
  return base.slice(0, -task.length) + withoutVersion(path)
}

function join(base: string, path: string, version: RegExp): string {
  const dropsVersion = version.test(base) || `${base}/`.startsWith(CLOUDFLARE_GATEWAY)
  return base + (dropsVersion ? withoutVersion(path) : path)
}

function joinOwnVersion(base: string, path: string, versionPath: string): string {
  const version = base.endsWith(versionPath) ? '' : versionPath
  return base + version + withoutVersion(path)
}

function withoutVersion(path: string): string {
  return path.replace(/^\/v1(?=\/|$)/, '')
}

export function upstreamHeaders(request: {
  descriptor: ProviderDescriptor
  key: string
  contentType: string
  accept: string
  siteUrl: string
  siteName: string
}): Record<string, string> {
  const { descriptor, key, contentType, accept, siteUrl, siteName } = request
  const headers = {
    authorization: `Bearer ${headerText(key)}`,
    'content-type': contentType,
    accept,
    // Answers are metered as they stream, so they must not be compressed.
    'accept-encoding': 'identity',
  }
  if (descriptor.headers === undefined) return headers
  return { ...headers, ...siteHeaders(descriptor, { siteUrl, siteName }) }
}

/** Headers that identify this site to the provider. */
export function siteHeaders(
  descriptor: ProviderDescriptor,
  { siteUrl, siteName }: { siteUrl: string; siteName: string },
): Record<string, string> {
  if (descriptor.headers !== 'openrouter') return NO_HEADERS
  const [referer, title] = [headerText(siteUrl), headerText(siteName)]
  return {
    ...(referer === '' ? {} : { 'http-referer': referer }),
    ...(title === '' ? {} : { 'x-title': title }),
  }
}

const NO_HEADERS: Record<string, string> = {}

/** Encodes a path segment. A lone surrogate, which JSON can carry, becomes U+FFFD. */
export const addressPart = (text: string) => encodeURIComponent(text.toWellFormed())

/** Drops line breaks, which would begin another header, and non-ASCII characters. */
export function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').trim()
}

/**
 * Splits a base address into the parts before and after an appended path. `query` includes its
 * question mark, or is empty. A fragment is dropped: a path appended to it would never be sent.
 */
export const splitBase = memoize((base): { readonly address: string; readonly query: string } => {
  const [sent = ''] = base.trim().split('#', 1)
  const at = sent.indexOf('?')
  const address = (at === -1 ? sent : sent.slice(0, at)).replace(/\/+$/, '')
  return { address, query: at === -1 ? '' : sent.slice(at) }
})

/**
 * Joins the channel's base URL, or the default one, with a path that starts with a version, such as
 * `/v1/messages`. If the base already ends in the start of the path (`…/v1`), that part is not
 * repeated. The base's query is kept.
 */
export function joinAddress(baseUrl: string, defaultBaseUrl: string, path: string): string {
  const { address, query } = splitBase(baseUrl.trim() || defaultBaseUrl)
  const shared = pathPrefixes(path).find((prefix) => address.endsWith(prefix)) ?? ''
  return address + path.slice(shared.length) + query
}

/** For `/v1/messages`: `/v1/messages` and `/v1`. */
const pathPrefixes = memoize((path): readonly string[] => {
  const parts = path.split('/')
  return parts
    .map((_part, index) => parts.slice(0, parts.length - index).join('/'))
    .filter((prefix) => prefix !== '')
})

/**
 * Inserts `version` (such as `/api/v1`) between base and path, unless the base already ends in a
 * version. The base's query is kept.
 */
export function versionedAddress(base: string, version: string, path: string): string {
  const { address, query } = splitBase(base)
  const versioned = /\/v\d+$/.test(address) ? address : address + version
  return versioned + path + query
}

/** Answers are metered as they pass, so they must not be compressed. */
export const jsonHeaders = (stream: boolean) => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
  'accept-encoding': 'identity',
})

/** For task requests, whose answers may have any content type. */
export const taskHeaders = (contentType: string) => ({
  'content-type': contentType,
  accept: '*/*',
  'accept-encoding': 'identity',
})

export const bearer = (key: string) => ({ authorization: `Bearer ${headerText(key)}` })

/** A base address may already have a query. */
export const withQuery = (url: string, query: string) =>
  url + (url.includes('?') ? '&' : '?') + query
