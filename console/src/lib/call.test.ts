import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint, idParams } from '@tollgate/contract'
import { CallError, callUrl, callWith, parseTotal } from './call.ts'

const getThing = endpoint('GET', '/api/thing/:id', 'user', {
  params: idParams,
  data: z.object({ name: z.string() }),
  beside: z.object({ time: z.number() }),
})
const putThing = endpoint('PUT', '/api/thing/', 'user', { body: z.object({ id: z.int() }) })

const answering = (body: unknown, init: ResponseInit = {}) => {
  const seen: { url: string; init: RequestInit | undefined }[] = []
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const fetch = async (url: unknown, request?: RequestInit) => {
    seen.push({ url: String(url), init: request })
    return new Response(text, init)
  }
  return { settings: { language: 'zh', fetch }, seen }
}

const failureOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(() => undefined).catch((cause: unknown) => cause)
  return error instanceof CallError ? error.failure : error
}

test('fills the path, leaves empty query values out and escapes both', () => {
  const query = { keyword: 'a&b', sort: undefined, text: '', zero: 0, no: false }
  expect(callUrl('/api/x/:id', { params: { id: 'a/b' }, query })).toBe(
    '/api/x/a%2Fb?keyword=a%26b&zero=0&no=false',
  )
  expect(() => callUrl('/api/x/:id', {})).toThrow('needs id')
})

test('gives the parsed data, what stands beside it, and the total', async () => {
  const { settings, seen } = answering(
    { success: true, message: '', data: { name: 'x', secret: 1 }, time: 2 },
    { headers: { 'X-Total-Count': '10000+' } },
  )
  const answer = await callWith(settings, getThing, { params: { id: 7 } })
  expect(answer).toEqual({
    data: { name: 'x' },
    beside: { time: 2 },
    total: { count: 10_000, more: true },
  })
  expect(seen[0]?.url).toBe('/api/thing/7')
  expect(seen[0]?.init?.headers).toEqual({ 'Accept-Language': 'zh' })
})

test('sends a body as JSON and takes an answer without data', async () => {
  const { settings, seen } = answering({ success: true, message: '' })
  const answer = await callWith(settings, putThing, { body: { id: 1 } })
  expect(answer).toEqual({ data: undefined, beside: undefined, total: null })
  expect(seen[0]?.init).toMatchObject({ method: 'PUT', body: '{"id":1}' })
})

test('tells a refusal, an HTTP status, an unreadable answer and a lost connection apart', async () => {
  const get = (body: unknown, init?: ResponseInit) =>
    failureOf(callWith(answering(body, init).settings, getThing, { params: { id: 1 } }))
  expect(await get({ success: false, message: 'no' })).toEqual({ kind: 'refused', message: 'no' })
  expect(await get('', { status: 401 })).toMatchObject({ kind: 'http', status: 401 })
  expect(await get('<html>')).toMatchObject({ kind: 'unreadable' })
  expect(await get({ success: true, message: '', data: { name: 1 }, time: 1 })).toEqual({
    kind: 'unreadable',
    message: 'unexpected answer at data.name',
  })
  expect(await get({ success: true, message: '', data: { name: '' } })).toMatchObject({
    kind: 'unreadable',
  })
  const broken = { language: 'en', fetch: () => Promise.reject(new TypeError('fetch failed')) }
  expect(await failureOf(callWith(broken, getThing, { params: { id: 1 } }))).toEqual({
    kind: 'network',
    message: 'fetch failed',
  })
})

test('reads a total only when it is one', () => {
  expect(parseTotal('12')).toEqual({ count: 12, more: false })
  for (const header of [null, '', 'many', '-1', '1.5']) expect(parseTotal(header)).toBeNull()
})
