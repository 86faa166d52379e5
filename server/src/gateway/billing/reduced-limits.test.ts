import { describe, expect, test } from 'vitest'
import { answerChat, neverAnswer } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { answerNative, channelTo, NATIVES } from '../../../testing/worlds/native-scenario.ts'
import {
  ASKED,
  COST,
  expectRefusal,
  lenient,
  MODEL,
  setUp,
} from '../../../testing/worlds/relay-scenario.ts'

/** Pays for some 3300 output tokens at 0.3 each, and for a prompt of a few bytes. */
const QUOTA = 1000
const BOUGHT_MOST = QUOTA / 0.3
const NAMED = 16_000

const BOUGHT = expect.toSatisfy(
  (limit: number) => limit <= BOUGHT_MOST && limit > BOUGHT_MOST - 200,
)
const PAID = { outcome: 'settled', quota: COST }

describe.each(DATABASES)('on %s an output limit beyond the balance', (kind) => {
  test.each(['max_tokens', 'max_completion_tokens'])('is reduced to that: %s', async (name) => {
    const world = await setUp(answerChat(), { kind, quota: QUOTA })
    expect((await world.ask({ ...ASKED, [name]: NAMED })).status).toBe(200)
    expect(world.sent()).toMatchObject({ [name]: BOUGHT })
    await world.expectLog(PAID)
  })

  test("is what the balance buys after the prompt's tokens, not after its bytes", async () => {
    const world = await setUp(answerChat(), { kind, quota: QUOTA })
    const messages = [{ role: 'user', content: 'word '.repeat(1600) }]
    expect((await world.ask({ ...ASKED, messages, max_tokens: 2000 })).status).toBe(200)
    expect(world.sent()).toMatchObject({ max_tokens: 2000 })
  })

  test('stays unchanged if only other holds block the balance', async () => {
    const world = await setUp(neverAnswer, { kind, quota: QUOTA })
    const limited = { ...ASKED, max_tokens: 3000 }
    const first = world.askAndLeave(limited)
    await waitUntil(async () => world.calls()[0] === 1)
    await expectRefusal(world.ask(limited), 429, 'quota_in_use')
    await first.leave()
  })

  test('stays unchanged if the balance pays for it', async () => {
    const world = await setUp(answerChat(), { kind, quota: QUOTA })
    expect((await world.ask({ ...ASKED, max_tokens: 3000 })).status).toBe(200)
    expect(world.sent()).toMatchObject({ max_tokens: 3000 })
    await world.expectLog(PAID)
  })
})

/** The output limit and the budget, as each dialect has them. */
const DIALECTS = [
  {
    name: 'OpenAI',
    path: '/v1/chat/completions',
    chat: ASKED,
    limits: (limit: unknown, budget: number) => ({
      max_tokens: limit,
      reasoning: { max_tokens: budget },
    }),
  },
  {
    name: 'Anthropic',
    path: '/v1/messages',
    chat: ASKED,
    limits: (limit: unknown, budget: number) => ({
      max_tokens: limit,
      thinking: { type: 'enabled', budget_tokens: budget },
    }),
  },
  {
    name: 'Gemini',
    path: `/v1beta/models/${MODEL}:generateContent`,
    chat: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    limits: (limit: unknown, budget: number) => ({
      generationConfig: {
        maxOutputTokens: limit,
        thinkingConfig: { thinkingBudget: budget },
      },
    }),
  },
]

describe.each(DIALECTS)('a reasoning budget, as of $name,', ({ name, path, chat, limits }) => {
  const askWith = async (budget: number) => {
    const native = NATIVES.find((one) => one.name === name)
    const provider =
      native === undefined ? { script: [answerChat()] } : channelTo(native, answerNative(native))
    const allow = lenient('the models here do not think')
    const world = await setUp([provider], { quota: QUOTA, ...allow })
    return { world, answer: await world.ask({ ...chat, ...limits(NAMED, budget) }, { path }) }
  }

  test('stays below a reduced limit', async () => {
    const { world, answer } = await askWith(2000)
    expect(answer.status).toBe(200)
    expect(world.sent()).toMatchObject(limits(BOUGHT, 2000))
    await world.expectLog(PAID)
  })

  test('is refused if the balance does not pay for it and for some visible output', async () => {
    const { world, answer } = await askWith(3200)
    expect(answer.status).toBe(name === 'OpenAI' ? 403 : 402)
    expect(await answer.text()).toContain('Insufficient balance')
    expect(world.calls()).toEqual([0])
    expect((await world.books()).account.quota).toBe(QUOTA)
  })
})
