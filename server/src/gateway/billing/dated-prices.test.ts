import { expect, test } from 'vitest'
import { answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { setUp } from '../../../testing/worlds/relay-scenario.ts'
import { systemClock } from '../../clock.ts'

const QUOTA = 4_000_000

const usage = { prompt_tokens: 3000, completion_tokens: 100, total_tokens: 3100 }
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' } }]
const answer = answerJson({ choices, usage })
const messages = [{ role: 'user', content: 'word '.repeat(3000) }]

/** Moments in order, each with dollars per million tokens of input and output. */
const CASES = {
  'gemini-4-argon': [
    ['2026-11-30T23:59:59.999Z', 2, 10, '2026-11-26'],
    ['2026-12-01T00:00:00.000Z', 4, 20, '2026-11-26+since-2026-12-01'],
  ],
  'gemini-3.7-flash': [
    ['2026-12-31T23:59:59.999Z', 0.75, 3.75, '2026-11-26'],
    ['2027-01-01T00:00:00.000Z', 1.5, 7.5, '2026-11-26+since-2027-01-01'],
  ],
  'gemini-2.5-pro': [
    ['2026-11-30T23:59:59.999Z', 1.25, 10, '2026-11-26'],
    ['2026-12-01T00:00:00.000Z', 0.75, 3.75, '2026-11-26+since-2026-12-01'],
    ['2027-01-01T00:00:00.000Z', 1.5, 7.5, '2026-11-26+since-2027-01-01'],
  ],
  'deepseek-v4-flash': [
    ['2026-11-27T00:59:59.999Z', 0.15, 0.6, '2026-11-26+off-peak'],
    ['2026-11-27T01:00:00.000Z', 0.3, 1.2, '2026-11-26'],
    ['2026-11-27T04:00:00.000Z', 0.15, 0.6, '2026-11-26+off-peak'],
    ['2026-11-27T09:59:59.999Z', 0.3, 1.2, '2026-11-26'],
    ['2026-11-27T10:00:00.000Z', 0.15, 0.6, '2026-11-26+off-peak'],
    ['2026-11-28T02:00:00.000Z', 0.15, 0.6, '2026-11-26+off-peak'],
    ['2026-11-30T02:00:00.000Z', 0.3, 1.2, '2026-11-26'],
  ],
} as const

const ROWS = DATABASES.flatMap((kind) =>
  Object.entries(CASES).map(([model, moments]) => ({ kind, model, moments })),
)

test.each(ROWS)(
  'a running gateway on $kind changes the price of $model by the clock',
  async ({ kind, model, moments }) => {
    let wall = Date.parse(moments[0][0])
    const clock = { ...systemClock, now: () => wall }
    const script = moments.map(() => answer)
    const world = await setUp([{ models: model, script }], { kind, quota: QUOTA, clock })
    let left = QUOTA
    for (const [time, input, output, price_version] of moments) {
      wall = Date.parse(time)
      expect((await world.ask({ messages, model, max_completion_tokens: 200 })).status).toBe(200)
      const dollars = (3000 * input + 100 * output) / 1e6
      left -= Math.ceil(Number((dollars * 500_000).toFixed(6)))
      const { log, account } = await world.books()
      expect(account, time).toMatchObject({ quota: left })
      expect(JSON.parse(log?.basis ?? ''), time).toMatchObject({ price_version })
    }
  },
)
