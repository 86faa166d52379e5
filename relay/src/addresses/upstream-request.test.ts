import { expect, test } from 'vitest'
import { descriptorOf } from '../catalogue.ts'
import { custom } from '../providers/generic/descriptor.ts'
import { groq, openai, openrouter } from '../providers/openai-compatible/descriptor.ts'
import { upstreamHeaders, upstreamUrl } from './upstream-request.ts'

const CHAT = '/v1/chat/completions'

test.each([
  ['', CHAT, 'https://api.openai.com/v1/chat/completions'],
  ['https://p.example/', CHAT, 'https://p.example/v1/chat/completions'],
  ['https://p.example//', '/v1/embeddings', 'https://p.example/v1/embeddings'],
  ['https://p.example/v1', CHAT, 'https://p.example/v1/chat/completions'],
  ['https://p.example/v1/', CHAT, 'https://p.example/v1/chat/completions'],
  [' https://p.example/x ', CHAT, 'https://p.example/x/v1/chat/completions'],
  ['https://p.example/v1?key=a', CHAT, 'https://p.example/v1/chat/completions?key=a'],
  [
    'https://gateway.ai.cloudflare.com/v1/acc/gw/openai',
    CHAT,
    'https://gateway.ai.cloudflare.com/v1/acc/gw/openai/chat/completions',
  ],
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
])('type %i at base %j serves chats at %j', (type, baseUrl, expected) => {
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) throw new Error(`no type ${type}`)
  expect(upstreamUrl({ descriptor, baseUrl, path: CHAT, model: 'm' })).toBe(expected)
})

test('keeps the path of a default address', () => {
  expect(upstreamUrl({ descriptor: groq, baseUrl: '', path: CHAT })).toBe(
    'https://api.groq.com/openai/v1/chat/completions',
  )
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

test('has no address for a custom channel without a base address', () => {
  expect(upstreamUrl({ descriptor: custom, baseUrl: ' ', path: CHAT })).toBeNull()
})

const site = {
  contentType: 'application/json',
  accept: 'application/json',
  siteUrl: 'https://gate.example',
  siteName: '门 Gate',
}

test('sends the key as a bearer token and the accepted content type', () => {
  const accept = 'text/event-stream'
  expect(upstreamHeaders({ ...site, descriptor: openai, key: 'sk-1', accept })).toEqual({
    authorization: 'Bearer sk-1',
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
  })
})

test('identifies itself to OpenRouter, in characters a header may have', () => {
  const headers = upstreamHeaders({ descriptor: openrouter, key: 'k', ...site })
  expect(headers).toMatchObject({ 'http-referer': 'https://gate.example', 'x-title': 'Gate' })
})

test('omits attribution if there is none', () => {
  const nothing = { siteUrl: '', siteName: '门' }
  const headers = upstreamHeaders({ descriptor: openrouter, key: 'k', ...site, ...nothing })
  expect(Object.keys(headers)).not.toContain('http-referer')
  expect(Object.keys(headers)).not.toContain('x-title')
})

test('never lets a key add a header', () => {
  const headers = upstreamHeaders({
    descriptor: openai,
    key: 'k\r\nx: y\n',
    ...site,
  })
  expect(headers['authorization']).toBe('Bearer kx: y')
})
