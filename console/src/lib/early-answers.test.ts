import { afterEach, expect, test, vi } from 'vitest'
import { forgetEarlyAnswers, takeEarlyAnswer } from './early-answers.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  globalThis.earlyAnswers = undefined
})

const PATH = '/api/status'

function keep(response: Promise<Response>, path = PATH) {
  const at = Date.now()
  globalThis.earlyAnswers = [{ path, language: 'zh', user: null, at, response }]
}

const take = (init: RequestInit = {}, path = PATH) =>
  takeEarlyAnswer(path, { headers: { 'Accept-Language': 'zh' }, ...init })

test('an early answer serves one call', async () => {
  keep(Promise.resolve(new Response('early')))
  await expect((await take())?.text()).resolves.toBe('early')
  expect(take()).toBeUndefined()
})

test('an early answer serves no other method, path or language', () => {
  keep(new Promise(() => {}))
  expect(take({ method: 'PUT' })).toBeUndefined()
  expect(take({ headers: { 'Accept-Language': 'en' } })).toBeUndefined()
  expect(take({}, '/api/notice')).toBeUndefined()
  expect(take({ method: 'GET' })).toBeDefined()
})

test('an early answer serves a range that ends within a minute of its own', () => {
  const rows = (start: number, end: number) =>
    `/api/log/?start_timestamp=${start}&end_timestamp=${end}&p=0`
  keep(new Promise(() => {}), rows(0, 5000))
  expect(take({}, rows(0, 5061))).toBeUndefined()
  expect(take({}, rows(0, 4939))).toBeUndefined()
  expect(take({}, rows(1, 5000))).toBeUndefined()
  expect(take({}, rows(0, 5060))).toBeDefined()
})

test('an early answer serves no other user', () => {
  keep(new Promise(() => {}))
  vi.stubGlobal('localStorage', { getItem: () => '{"id":2}' })
  expect(take()).toBeUndefined()
})

test('an early answer serves for a minute', () => {
  vi.useFakeTimers()
  keep(new Promise(() => {}))
  vi.advanceTimersByTime(60_000)
  expect(take()).toBeUndefined()
})

test('forgotten answers serve nobody', () => {
  keep(Promise.resolve(new Response('early')))
  forgetEarlyAnswers()
  expect(take()).toBeUndefined()
})

test('a call that waits for an early answer can be given up', async () => {
  const controller = new AbortController()
  keep(new Promise(() => {}))
  const call = take({ signal: controller.signal })
  controller.abort()
  await expect(call).rejects.toThrow('the call was given up')
  keep(new Promise(() => {}))
  await expect(take({ signal: AbortSignal.abort() })).rejects.toThrow('the call was given up')
})
