import { headerText, upstreamUrl, joinAddress, withQuery } from './addresses/upstream-request.ts'
import { jsonIn } from './bytes/json-parse.ts'
import { member } from './bytes/json-value.ts'
import { descriptorOf } from './catalogue.ts'
import type { ProviderDialect } from './provider.ts'

export type ModelListRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

type ModelListTarget = {
  readonly type: number
  /** The channel's own; empty for the provider's default. */
  readonly baseUrl: string
  readonly key: string
}

/** The largest page size the APIs allow. No listed provider has more models. */
const PAGE_SIZE = 1000
const ANTHROPIC_VERSION = '2023-06-01'

type ModelList = {
  readonly request: (target: ModelListTarget, defaultBaseUrl: string) => ModelListRequest | null
  readonly read: (answer: unknown) => string[] | null
}

const openaiList: ModelList = {
  request: ({ type, baseUrl, key }) => {
    const descriptor = descriptorOf(type)
    const path = '/v1/models'
    const url = descriptor === undefined ? null : upstreamUrl({ descriptor, baseUrl, path })
    return url === null ? null : { url, headers: { authorization: `Bearer ${headerText(key)}` } }
  },
  read: (answer) => namesIn(member(answer, 'data') ?? answer, 'id'),
}

/** Model lists by dialect, as the providers document them. Other dialects have none. */
const LISTS: Readonly<Partial<Record<ProviderDialect, ModelList>>> = {
  openai: openaiList,
  responses: openaiList,
  anthropic: {
    request: ({ baseUrl, key }, defaultBaseUrl) => ({
      url: withQuery(joinAddress(baseUrl, defaultBaseUrl, '/v1/models'), `limit=${PAGE_SIZE}`),
      headers: { 'x-api-key': headerText(key), 'anthropic-version': ANTHROPIC_VERSION },
    }),
    read: (answer) => namesIn(member(answer, 'data'), 'id'),
  },
  gemini: {
    request: ({ baseUrl, key }, defaultBaseUrl) => ({
      url: withQuery(
        joinAddress(baseUrl, defaultBaseUrl, '/v1beta/models'),
        `pageSize=${PAGE_SIZE}`,
      ),
      headers: { 'x-goog-api-key': headerText(key) },
    }),
    read: (answer) =>
      namesIn(member(answer, 'models'), 'name')?.map((name) => name.replace(/^models\//, '')) ??
      null,
  },
  ollama: {
    request: ({ baseUrl, key }, defaultBaseUrl) => ({
      url: joinAddress(baseUrl, defaultBaseUrl, '/api/tags'),
      headers: key === '' ? {} : { authorization: `Bearer ${headerText(key)}` },
    }),
    read: (answer) => namesIn(member(answer, 'models'), 'name'),
  },
}

/** Null when the provider has no model list, or the channel no address. */
export function modelListRequest(target: ModelListTarget): ModelListRequest | null {
  const descriptor = descriptorOf(target.type)
  if (descriptor === undefined) return null
  if (target.baseUrl.trim() === '' && descriptor.baseUrl === '') return null
  const list = LISTS[descriptor.dialect]
  const request = list?.request(target, descriptor.baseUrl) ?? null
  return request && { ...request, headers: { accept: 'application/json', ...request.headers } }
}

/** The model names in an answer, sorted and unique. Null when the answer is no model list. */
export function readModelList(type: number, body: Buffer): string[] | null {
  const dialect = descriptorOf(type)?.dialect
  const names = dialect === undefined ? null : LISTS[dialect]?.read(jsonIn(body))
  return names ? [...new Set(names)].toSorted() : null
}

/** A comma would separate two models in the channel's stored list. */
const isName = (name: unknown): name is string =>
  typeof name === 'string' && /^[^\s,]{1,256}$/.test(name)

function namesIn(list: unknown, field: string): string[] | null {
  return Array.isArray(list) ? list.map((item) => member(item, field)).filter(isName) : null
}
