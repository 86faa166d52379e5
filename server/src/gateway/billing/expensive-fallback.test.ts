import { describe, expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { ASKED, readError, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

/** A token of `cheap` costs 1, a token of `dear` 50. */
const PRICES: [['ModelRatio', string], ['CompletionRatio', string]] = [
  ['ModelRatio', '{"cheap": 1, "dear": 50}'],
  ['CompletionRatio', '{"cheap": 1, "dear": 1}'],
]
const model = 'unpriced'
const limited = { ...ASKED, model, max_tokens: 100 }

const twoOf = (cheap: Behaviour, dear: Behaviour, first: 'cheap' | 'dear' = 'cheap') => [
  { script: [cheap], models: model, mapping: 'cheap', priority: first === 'cheap' ? 1 : 0 },
  { script: [dear], models: model, mapping: 'dear', priority: first === 'dear' ? 1 : 0 },
]

describe.each(DATABASES)('with a balance that pays for the cheap channel only, on %s', (kind) => {
  const setup = { kind, quota: 1000, options: PRICES, random: () => 0.5 }

  test('the cheap channel answers, whether it comes first or second', async () => {
    for (const first of ['cheap', 'dear'] as const) {
      const world = await setUp(twoOf(answerChat(), answerChat(), first), setup)
      expect((await world.ask(limited)).status).toBe(200)
      expect(world.calls()).toEqual([1, 0])
      await world.expectLog({ quota: 15, uncollected: 0 })
    }
  })

  test("the expensive channel is not called with a lower limit than the client's", async () => {
    const world = await setUp(twoOf(answerChat(), answerChat(), 'dear'), {
      ...setup,
      quota: 20_000,
    })
    expect((await world.ask({ ...limited, max_tokens: 1000 })).status).toBe(200)
    expect(world.calls()).toEqual([1, 0])
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.body.toString()).toContain('"max_tokens":1000')
    await world.books()
  })

  // guards: C10.2
  test('the expensive channel is not called when the cheap one fails', async () => {
    const world = await setUp(twoOf(answerError(500, {}), answerChat()), setup)
    const refusal = await world.ask(limited)
    expect(refusal.status).toBe(502)
    await readError(refusal)
    expect(world.calls()[1]).toBe(0)
    expect((await world.books()).account.quota).toBe(1000)
  })
})

test.each(DATABASES)('on %s a stream has what the answering channel costs', async (kind) => {
  const words = Array.from({ length: 600 }, () => chunk({ content: ' word' }))
  const long = answerStream([...words, chunk({ finish: 'stop' }), DONE])
  const world = await setUp(twoOf(long, answerChat()), {
    kind,
    // Enough to start `dear`, and for 400 of its tokens.
    quota: 20_000,
    options: [...PRICES, ['StreamHoldTokens', '256']],
  })
  const text = await (await world.ask({ ...STREAMED, model })).text()
  expect(text.endsWith(DONE)).toBe(true)
  await world.expectLog({ completion_tokens: 600, end_reason: 'finished', quota: 608 })
})

test('with a balance that pays for both, the expensive channel is called when the cheap one fails', async () => {
  const world = await setUp(twoOf(answerError(500, {}), answerChat()), {
    quota: 100_000,
    options: PRICES,
    random: () => 0.5,
  })
  expect((await world.ask(limited)).status).toBe(200)
  await world.expectLog({ quota: 15 * 50 })
})

test('a balance that pays for neither is refused', async () => {
  const world = await setUp(twoOf(answerChat(), answerChat()), { quota: 50, options: PRICES })
  expect((await world.ask(limited)).status).toBe(403)
  expect(world.calls()).toEqual([0, 0])
})
