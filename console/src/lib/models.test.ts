import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { modelsOf, modelsQuery } from './models.ts'

const MODELS = { 1: ['gpt-4o'], 14: ['claude-sonnet-4-5'] }

function stubBrowser() {
  const kept = new Map<string, string>()
  const answer = { success: true, message: '', data: MODELS }
  const fetch = vi.fn<() => Promise<Response>>(async () => Response.json(answer))
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
  vi.stubGlobal('window', { fetch })
  return { kept, fetch }
}

afterEach(() => vi.unstubAllGlobals())

test('the list of models is fetched once, kept in the browser, and shown from there next time', async () => {
  const { kept, fetch } = stubBrowser()
  const client = new QueryClient()
  await client.query(modelsQuery)
  await client.query(modelsQuery)
  expect(fetch).toHaveBeenCalledTimes(1)
  expect(JSON.parse(kept.get('channel_models') ?? '')).toEqual(MODELS)

  const nextTime = () =>
    new QueryObserver(new QueryClient(), modelsQuery).getOptimisticResult(
      new QueryClient().defaultQueryOptions(modelsQuery),
    ).data
  expect(nextTime()).toEqual(MODELS)
  kept.set('channel_models', '{"1": 5}')
  expect(nextTime()).toBeUndefined()
})

test('the models of a type come from the list, and are empty if it is unknown', () => {
  expect(modelsOf(MODELS, 1)).toEqual(['gpt-4o'])
  expect(modelsOf(MODELS, 2)).toEqual([])
  expect(modelsOf(undefined, 1)).toEqual([])
})
