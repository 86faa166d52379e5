import { afterEach, expect, test, vi } from 'vitest'
import { getStatus } from './first-calls.ts'

afterEach(() => {
  globalThis.earlyStatus = undefined
  vi.unstubAllGlobals()
})

const ask = (signal = new AbortController().signal) => getStatus(signal)

test('the early answer serves one call, and the next asks again', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.reject(new Error('offline')))
  vi.stubGlobal('window', { fetch })
  globalThis.earlyStatus = Promise.resolve(Response.json({ success: true, data: 'early' }))
  await expect(ask()).rejects.toThrow('unexpected answer at data')
  expect(fetch).not.toHaveBeenCalled()
  await expect(ask()).rejects.toThrow('offline')
})

test('a call that waits for an early answer can be given up', async () => {
  const controller = new AbortController()
  globalThis.earlyStatus = new Promise(() => {})
  const call = ask(controller.signal)
  controller.abort()
  await expect(call).rejects.toThrow('the call was given up')
})
