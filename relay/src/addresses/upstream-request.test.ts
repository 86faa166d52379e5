import { expect, test } from 'vitest'
import { descriptorOf } from '../catalogue.ts'
import { custom } from '../providers/generic/descriptor.ts'
import { openai, openrouter } from '../providers/openai-compatible/descriptor.ts'
import {
  joinAddress,
  splitBase,
  upstreamHeaders,
  upstreamUrl,
  versionedAddress,
} from './upstream-request.ts'

const CHAT = '/v1/chat/completions'
const CLOUDFLARE = 'https://gateway.ai.cloudflare.com/v1/acc/gw/openai'

test.each([
  ['', CHAT, 'https://api.openai.com/v1/chat/completions'],
  ['https://p.example/', CHAT, 'https://p.example/v1/chat/completions'],
  ['https://p.example//', '/v1/embeddings', 'https://p.example/v1/embeddings'],
  ['https://p.example/v1', CHAT, 'https://p.example/v1/chat/completions'],
  ['https://p.example/v1/', CHAT, 'https://p.example/v1/chat/completions'],
  [' https://p.example/x ', CHAT, 'https://p.example/x/v1/chat/completions'],
  ['https://p.example/v1?key=a', CHAT, 'https://p.example/v1/chat/completions?key=a'],
  [CLOUDFLARE, CHAT, `${CLOUDFLARE}/chat/completions`],
  [
    'https://gateway.ai.cloudflare.com.evil.example/a',
    CHAT,
    'https://gateway.ai.cloudflare.com.evil.example/a/v1/chat/completions',
  ],
])('joins base %j and path %s', (baseUrl, path, expected) => {
  expect(upstreamUrl({ descriptor: openai, baseUrl, path })).toBe(expected)
})

test.each([
  [40, '', 'https://ark.cn-beijing.volces.com/api/v3/chat/completions'],
  [40, 'https://p.example', 'https://p.example/api/v3/chat/completions'],
  [40, 'https://p.example/api/v3/', 'https://p.example/api/v3/chat/completions'],
  [35, 'https://api.cohere.ai', 'https://api.cohere.ai/compatibility/v1/chat/completions'],
  [41, '', 'https://api.novita.ai/v3/openai/chat/completions'],
  [49, '', 'https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions'],
  [50, 'https://p.example/api', 'https://p.example/api/chat/completions'],
  [51, '', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions'],
  [1001, 'https://p.example/a/chat/completions', 'https://p.example/a/chat/completions'],
  [1001, '', null],
  [1001, ' ', null],
  [29, '', 'https://api.groq.com/openai/v1/chat/completions'],
])('type %i at base %j serves chats at %j', (type, baseUrl, expected) => {
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) throw new Error(`no type ${type}`)
  expect(upstreamUrl({ descriptor, baseUrl, path: CHAT, model: 'm' })).toBe(expected)
})

test.each([
  ['https://h.example', CHAT, 'https://h.example/v1/chat/completions'],
  ['https://h.example/api/v3', CHAT, 'https://h.example/api/v3/chat/completions'],
  ['https://h.example/v1', '/v1/embeddings', 'https://h.example/v1/embeddings'],
  ['https://h.example/a/chat/completions', CHAT, 'https://h.example/a/chat/completions'],
  ['https://h.example/a/chat/completions', '/v1/completions', 'https://h.example/a/completions'],
  ['https://h.example/a/completions', CHAT, 'https://h.example/a/chat/completions'],
  ['https://h.example/a/chat/completions', '/v1/embeddings', 'https://h.example/a/embeddings'],
  ['https://h.example/v2/rerank', '/v1/rerank', 'https://h.example/v2/rerank'],
  ['https://h.example/v2', '/v1/rerank', 'https://h.example/v2/rerank'],
  ['https://h.example/{model}/run?v=1', CHAT, 'https://h.example/org%2Fm%3F/run?v=1'],
])('takes %j of a custom channel for %s', (baseUrl, path, expected) => {
  expect(upstreamUrl({ descriptor: custom, baseUrl, path, model: 'org/m?' })).toBe(expected)
})

test('a lone surrogate in a model name does not break the address', () => {
  const asked = { descriptor: custom, baseUrl: 'https://h.example/{model}', path: CHAT }
  expect(upstreamUrl({ ...asked, model: 'a\ud800' })).toBe('https://h.example/a%EF%BF%BD')
})

const site = {
  contentType: 'application/json',
  accept: 'application/json',
  siteUrl: 'https://gate.example',
  siteName: '门 Gate',
}

test('sends the key as a bearer token, which adds no header, and the accepted type', () => {
  const accept = 'text/event-stream'
  expect(upstreamHeaders({ ...site, descriptor: openai, key: 'k\r\nx: y\n', accept })).toEqual({
    authorization: 'Bearer kx: y',
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
  })
})

test('identifies itself to OpenRouter, in characters a header may have, if it has a name', () => {
  const headersAt = (own: object) =>
    upstreamHeaders({ descriptor: openrouter, key: 'k', ...site, ...own })
  const attribution = { 'http-referer': 'https://gate.example', 'x-title': 'Gate' }
  expect(headersAt({})).toMatchObject(attribution)
  const names = Object.keys(headersAt({ siteUrl: '', siteName: '门' }))
  expect(names.filter((name) => name in attribution)).toEqual([])
})

const DEFAULT = 'https://api.vendor.example'

test.each([
  ['', '/v1/messages', `${DEFAULT}/v1/messages`],
  ['  ', '/v1/messages', `${DEFAULT}/v1/messages`],
  ['https://a.example//', '/v1/messages', 'https://a.example/v1/messages'],
  ['https://a.example/v1', '/v1/messages', 'https://a.example/v1/messages'],
  ['https://a.example/v1/messages/', '/v1/messages', 'https://a.example/v1/messages'],
  ['https://a.example/x/v1?k=1?2', '/v1/messages', 'https://a.example/x/v1/messages?k=1?2'],
  ['https://a.example/v1beta', '/v1/models', 'https://a.example/v1beta/v1/models'],
])('%j and %s are %s', (baseUrl, path, address) => {
  expect(joinAddress(baseUrl, DEFAULT, path)).toBe(address)
})

test.each([
  ['https://a.example', 'https://a.example', ''],
  [' https://a.example/v1// ', 'https://a.example/v1', ''],
  ['https://a.example/v1/?code=1?2', 'https://a.example/v1', '?code=1?2'],
  ['https://a.example/secret#', 'https://a.example/secret', ''],
  ['https://a.example/secret/#/x?y', 'https://a.example/secret', ''],
  ['https://a.example/secret?x=1#y', 'https://a.example/secret', '?x=1'],
  ['', '', ''],
])('%s is split into an address and a query', (base, address, query) => {
  expect(splitBase(base)).toEqual({ address, query })
})

test('a fragment does not replace the path', () => {
  const base = 'https://a.example/secret#'
  expect(joinAddress(base, '', '/v1/models')).toBe('https://a.example/secret/v1/models')
  expect(versionedAddress(base, '/v2', '/chat')).toBe('https://a.example/secret/v2/chat')
})
