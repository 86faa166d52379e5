import { describe, expect, test } from 'vitest'
import { fetchPage } from './fetch-page.ts'

const NOW = Date.UTC(2026, 10, 27)

type Answer = { status: number; json: unknown; retryAfter?: string }

/** Answers in this order; the last one repeats. Returns the final answer and the pauses before. */
async function fetched(answers: readonly Answer[], { goesOn = true } = {}) {
  const pauses: number[] = []
  let asked = 0
  const deps = {
    now: () => NOW,
    fetchJson: async () => answers[asked++] ?? answers.at(-1) ?? { status: 0, json: null },
    pause: async (ms: number) => {
      pauses.push(ms)
    },
  }
  const run = { goesOn: async () => goesOn, signal: new AbortController().signal }
  const answer = await fetchPage(deps, { method: 'GET', url: 'http://a', headers: {} }, run)
  return { status: answer.status, pauses }
}

const answer = (status: number, retryAfter?: string): Answer => ({
  status,
  json: null,
  ...(retryAfter !== undefined && { retryAfter }),
})

describe('a page of a bill', () => {
  test('is asked for again after the pause that the vendor names, else a usual one', async () => {
    const date = new Date(NOW + 3000).toUTCString()
    const answers = [answer(429, '7'), answer(503), answer(429, date), answer(200)]
    expect(await fetched(answers)).toEqual({ status: 200, pauses: [7000, 5000, 3000] })
    expect(await fetched([answer(429, 'soon'), answer(200)])).toMatchObject({ pauses: [1000] })
  })

  test('is given up after four repetitions', async () => {
    const pauses = [1000, 5000, 15_000, 30_000]
    expect(await fetched([answer(502)])).toEqual({ status: 502, pauses })
  })

  test('is given up at once if the pause is longer than a minute', async () => {
    expect(await fetched([answer(429, '61'), answer(200)])).toEqual({ status: 429, pauses: [] })
    expect((await fetched([answer(429, '60'), answer(200)])).status).toBe(200)
  })

  test.each([400, 401, 404])('is not asked for again after %d', async (status) => {
    expect(await fetched([answer(status)])).toEqual({ status, pauses: [] })
  })

  test('is not asked for again once the import has ended', async () => {
    const ended = await fetched([answer(503), answer(200)], { goesOn: false })
    expect(ended).toEqual({ status: 503, pauses: [1000] })
  })
})
