import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { endpoint, idParams } from '@tollgate/contract'
import { CallError, type CallSettings, callUrl, callWith, parseTotal } from './call.ts'

const getThing = endpoint('GET', '/api/thing/:id', 'user', {
  params: idParams,
  data: z.object({ name: z.string() }),
  extra: z.object({ time: z.number() }),
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

test('returns the parsed data, the fields next to it and the total', async () => {
  const { settings, seen } = answering(
    { success: true, message: '', data: { name: 'x', secret: 1 }, time: 2 },
    { headers: { 'X-Total-Count': '10000+' } },
  )
  const answer = await callWith(settings, getThing, { params: { id: 7 } })
  expect(answer).toEqual({
    data: { name: 'x' },
    extra: { time: 2 },
    total: { count: 10_000, more: true },
  })
  expect(seen[0]?.url).toBe('/api/thing/7')
  expect(seen[0]?.init?.headers).toEqual({ 'Accept-Language': 'zh' })
})

test('sends a body as JSON and accepts an answer without data', async () => {
  const { settings, seen } = answering({ success: true, message: '' })
  const answer = await callWith(settings, putThing, { body: { id: 1 } })
  expect(answer).toEqual({ data: undefined, extra: undefined, total: null })
  expect(seen[0]?.init).toMatchObject({ method: 'PUT', body: '{"id":1}' })
})

const get = (body: unknown, init?: ResponseInit) =>
  failureOf(callWith(answering(body, init).settings, getThing, { params: { id: 1 } }))

test('distinguishes a refusal from answers of other servers', async () => {
  expect(await get({ success: false, message: 'no' })).toEqual({ kind: 'refused', message: 'no' })
  expect(await get(' <html>')).toMatchObject({ kind: 'unreadable', reason: 'webPage' })
  expect(await get('hello')).toMatchObject({ kind: 'unreadable', reason: 'notJson' })
  expect(await get('{"success":true,"da')).toMatchObject({ kind: 'network', reason: 'brokenOff' })
  expect(await get({ success: true, message: '', data: { name: 1 }, time: 1 })).toEqual({
    kind: 'unreadable',
    reason: 'unexpected',
    message: 'unexpected answer at data.name',
  })
  expect(await get({ success: true, message: '', data: { name: '' } })).toMatchObject({
    kind: 'unreadable',
  })
})

test('a refusal has its code and the known ways to confirm', async () => {
  const needed = { success: false, message: 'who?', code: 'confirmation_needed' }
  const ways = ['totp', 'passkey']
  expect(await get({ ...needed, ways: ['iris', 'passkey', 'totp', 7] })).toEqual({
    kind: 'refused',
    message: 'who?',
    code: 'confirmation_needed',
    ways,
  })
  const headers = { 'Content-Type': 'application/json' }
  expect(await get({ ...needed, ways }, { status: 403, headers })).toEqual({
    kind: 'http',
    status: 403,
    message: 'who?',
    code: 'confirmation_needed',
    ways,
  })
  expect(await get({ success: false, message: 'no', code: 401, ways: 'all' })).toEqual({
    kind: 'refused',
    message: 'no',
  })
})

test("an HTTP error has the server's message, shortened, and the time to retry", async () => {
  const json = { 'Content-Type': 'application/json; charset=utf-8' }
  const refused = { success: false, message: 'came from another site' }
  expect(await get(refused, { status: 403, headers: json })).toEqual({
    kind: 'http',
    status: 403,
    message: 'came from another site',
  })
  expect(
    await get(refused, { status: 429, headers: { ...json, 'Retry-After': '7' } }),
  ).toMatchObject({ retryAfterSeconds: 7 })
  const nothingToSay = { kind: 'http', status: 502, message: '502 Bad Gateway' }
  const long = { success: false, message: 'x'.repeat(20_000) }
  for (const [body, headers] of [
    ['<html>', { 'Content-Type': 'text/html' }],
    [refused, { 'Content-Type': 'text/plain' }],
    ['{"success":false,"mess', json],
    [{ error: 'gateway' }, json],
    [long, json],
    ['', json],
  ] as const) {
    expect(await get(body, { status: 502, statusText: 'Bad Gateway', headers })).toEqual(
      nothingToSay,
    )
  }
})

const failing = (fetch: CallSettings['fetch'], signal?: AbortSignal) =>
  failureOf(
    callWith({ language: 'en', fetch, ...(signal && { signal }) }, getThing, { params: { id: 1 } }),
  )

/** Body stream that fails after its first bytes. */
const breakingOff = () =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"success":')),
    pull: (controller) => controller.error(new TypeError('network error')),
  })

test('an unreachable server, an interrupted answer and a timeout are distinguished', async () => {
  expect(await failing(() => Promise.reject(new TypeError('fetch failed')))).toEqual({
    kind: 'network',
    reason: 'unreachable',
    message: 'fetch failed',
  })
  const json = { 'Content-Type': 'application/json' }
  for (const status of [200, 500]) {
    const answer = () => Promise.resolve(new Response(breakingOff(), { status, headers: json }))
    expect(await failing(answer)).toMatchObject({ kind: 'network', reason: 'brokenOff' })
  }
  const timeout = new DOMException('timed out', 'TimeoutError')
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort(timeout))
  expect(await failing(() => Promise.reject(timeout))).toMatchObject({
    kind: 'network',
    reason: 'late',
  })
  const leaving = new DOMException('left', 'AbortError')
  const left = AbortSignal.abort(leaving)
  expect(await failing(() => Promise.reject(leaving), left)).toBe(leaving)
  expect(await failing(() => Promise.resolve(new Response(breakingOff())), left)).toBeInstanceOf(
    TypeError,
  )
})

test('reads a total only if it is valid', () => {
  expect(parseTotal('12')).toEqual({ count: 12, more: false })
  for (const header of [null, '', 'many', '-1', '1.5']) expect(parseTotal(header)).toBeNull()
})
