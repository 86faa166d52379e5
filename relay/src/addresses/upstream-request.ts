import type { ProviderDescriptor } from '../provider.ts'
import { splitBase } from './base-address.ts'

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
