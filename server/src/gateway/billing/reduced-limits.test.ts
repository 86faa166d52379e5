import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answerChat, neverAnswer } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { channelTo, answerNative, NATIVES } from '../../../testing/worlds/native-scenario.ts'
import {
  lenient,
  ASKED,
  COST,
  MODEL,
  readError,
  setUp,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

/** Pays for some 3300 output tokens at 0.3 each, and for a prompt of a few bytes. */
const QUOTA = 1000
const BOUGHT_MOST = QUOTA / 0.3
const NAMED = 16_000

const sentOf = (world: World): unknown =>
  JSON.parse(world.upstream.requestsOf('p0')[0]?.body.toString() ?? '')

const postTo = ({ url, key }: World, path: string, body: object) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })

function expectBought(limit: unknown) {
  expect(limit).toBeLessThanOrEqual(BOUGHT_MOST)
  expect(limit).toBeGreaterThan(BOUGHT_MOST - 200)
}

async function expectPaid(world: World) {
  const { log, account } = await world.books()
  expect(log).toMatchObject({ outcome: 'settled', quota: COST })
  expect(account.quota).toBe(QUOTA - COST)
}

describe.each(DATABASES)('on %s an output limit beyond the balance', (kind) => {
  test.each(['max_tokens', 'max_completion_tokens'])(
    'is reduced to what the balance buys: %s',
    async (name) => {
      const world = await setUp([{ script: [answerChat()] }], { kind, quota: QUOTA })
      expect((await world.ask({ ...ASKED, [name]: NAMED })).status).toBe(200)
      expectBought(z.record(z.string(), z.unknown()).parse(sentOf(world))[name])
      await expectPaid(world)
    },
  )

  test("is what the balance buys after the prompt's tokens, not after its bytes", async () => {
    const world = await setUp([{ script: [answerChat()] }], { kind, quota: QUOTA })
    const messages = [{ role: 'user', content: 'word '.repeat(1600) }]
    expect((await world.ask({ ...ASKED, messages, max_tokens: 2000 })).status).toBe(200)
    expect(sentOf(world)).toMatchObject({ max_tokens: 2000 })
  })

  test('stays unchanged if only other holds block the balance', async () => {
    const world = await setUp([{ script: [neverAnswer] }], { kind, quota: QUOTA })
    const limited = { ...ASKED, max_tokens: 3000 }
    const first = world.askAndLeave(limited)
    await waitUntil(async () => world.calls()[0] === 1)
    const second = await world.ask(limited)
    expect([second.status, (await readError(second)).code]).toEqual([429, 'quota_in_use'])
    await first.leave()
  })

  test('stays unchanged if the balance pays for it', async () => {
    const world = await setUp([{ script: [answerChat()] }], { kind, quota: QUOTA })
    expect((await world.ask({ ...ASKED, max_tokens: 3000 })).status).toBe(200)
    expect(sentOf(world)).toMatchObject({ max_tokens: 3000 })
    await expectPaid(world)
  })
})

const DIALECTS = [
  {
    name: 'OpenAI',
    path: '/v1/chat/completions',
    bodyWith: (budget: number) => ({
      ...ASKED,
      max_tokens: NAMED,
      reasoning: { max_tokens: budget },
    }),
    sent: z
      .object({ max_tokens: z.number(), reasoning: z.object({ max_tokens: z.number() }) })
      .transform(({ max_tokens, reasoning }) => [max_tokens, reasoning.max_tokens]),
  },
  {
    name: 'Anthropic',
    path: '/v1/messages',
    bodyWith: (budget: number) => ({
      ...ASKED,
      max_tokens: NAMED,
      thinking: { type: 'enabled', budget_tokens: budget },
    }),
    sent: z
      .object({ max_tokens: z.number(), thinking: z.object({ budget_tokens: z.number() }) })
      .transform(({ max_tokens, thinking }) => [max_tokens, thinking.budget_tokens]),
  },
  {
    name: 'Gemini',
    path: `/v1beta/models/${MODEL}:generateContent`,
    bodyWith: (budget: number) => ({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      generationConfig: {
        maxOutputTokens: NAMED,
        thinkingConfig: { thinkingBudget: budget },
      },
    }),
    sent: z
      .object({
        generationConfig: z.object({
          maxOutputTokens: z.number(),
          thinkingConfig: z.object({ thinkingBudget: z.number() }),
        }),
      })
      .transform(({ generationConfig: { maxOutputTokens, thinkingConfig } }) => [
        maxOutputTokens,
        thinkingConfig.thinkingBudget,
      ]),
  },
]

describe.each(DIALECTS)(
  'a reasoning budget, as $name spells it,',
  ({ name, path, bodyWith, sent }) => {
    const setUpProvider = () => {
      const native = NATIVES.find((one) => one.name === name)
      const provider =
        native === undefined ? { script: [answerChat()] } : channelTo(native, answerNative(native))
      return setUp([provider], { quota: QUOTA, ...lenient('the models here do not think') })
    }

    test('stays below a reduced limit', async () => {
      const world = await setUpProvider()
      expect((await postTo(world, path, bodyWith(2000))).status).toBe(200)
      const [limit, budget] = sent.parse(sentOf(world))
      expectBought(limit)
      expect(budget).toBe(2000)
      await expectPaid(world)
    })

    test('may be any number', async () => {
      const world = await setUpProvider()
      expect((await postTo(world, path, bodyWith(2 ** 53 - 1))).status).toBeLessThan(500)
    })

    test('is refused if the balance does not pay for it and for some visible output', async () => {
      const world = await setUpProvider()
      const refused = await postTo(world, path, bodyWith(3200))
      expect(refused.status).toBe(name === 'OpenAI' ? 403 : 402)
      expect(await refused.text()).toContain('Insufficient balance')
      expect(world.calls()).toEqual([0])
      expect((await world.books()).account.quota).toBe(QUOTA)
    })
  },
)
