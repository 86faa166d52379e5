import { expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerJson,
  answerStream,
  chunk,
  DONE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { MODEL, setUp } from '../../../testing/worlds/relay-scenario.ts'
import { systemClock } from '../../clock.ts'

const QUOTA = 4_000_000
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' } }]
const parts = { prompt_tokens: 3000, completion_tokens: 100, total_tokens: 3100 }
const chatWith = (model: string, words = 3000) => ({
  model,
  messages: [{ role: 'user', content: 'word '.repeat(words) }],
  max_completion_tokens: 200,
})

type Case = {
  readonly title: string
  readonly model: string
  readonly usage: object
  /** What the vendor bills for this usage. */
  readonly dollars: number
  readonly words?: number
  readonly basis?: object
  readonly version?: RegExp
}

const CHATS: readonly Case[] = [
  {
    title: 'cached input has its own price',
    model: 'gpt-6.2-astra',
    usage: { ...parts, prompt_tokens_details: { cached_tokens: 2000 } },
    dollars: (1000 * 8 + 2000 * 0.4 + 100 * 40) / 1e6,
  },
  {
    title: 'a cache write for twelve hours costs 2.5 times the input',
    model: 'gpt-6.1-sol',
    usage: {
      ...parts,
      prompt_tokens_details: {
        cache_write_tokens: 2000,
        cache_write_tokens_details: { ttl_30m_tokens: 500, ttl_12h_tokens: 1500 },
      },
    },
    dollars: (1000 * 2 + 500 * 2.5 + 1500 * 5 + 100 * 10) / 1e6,
    basis: { kinds: [{ kind: 'long_cache_write', tokens: 1500, ratio: 2.5 }] },
  },
  {
    title: "xAI's boundary is part of the dearer tier, with its own price of cached input",
    model: 'grok-4.5',
    usage: {
      prompt_tokens: 200_000,
      completion_tokens: 100,
      total_tokens: 200_100,
      prompt_tokens_details: { cached_tokens: 100_000 },
    },
    dollars: (100_000 * 4 + 100_000 * 0.6 + 100 * 12) / 1e6,
    words: 110_000,
    version: /\+long$/,
  },
  {
    title: 'the highest of several tiers that the prompt exceeds counts',
    model: 'qwen3-coder-flash',
    usage: {
      prompt_tokens: 130_000,
      completion_tokens: 100,
      total_tokens: 130_100,
      prompt_tokens_details: { cached_tokens: 100_000 },
    },
    dollars: (30_000 * 0.8 + 100_000 * 0.2 + 100 * 4) / 1e6,
    words: 80_000,
    version: /\+long$/,
  },
  {
    title: 'prices in yuan are converted at seven to the dollar',
    model: 'glm-5.3',
    usage: { ...parts, prompt_tokens_details: { cached_tokens: 2000 } },
    dollars: (1000 * 8 + 2000 * 2 + 100 * 28) / 7 / 1e6,
  },
]

test.each(DATABASES.flatMap((kind) => CHATS.map((chat) => ({ kind, ...chat }))))(
  'on $kind $title',
  async ({ kind, model, usage, dollars, words, basis = {}, version = /^[\d-]+$/ }) => {
    const script = [answerJson({ choices, usage })]
    const world = await setUp([{ models: model, script }], { kind, quota: QUOTA })
    expect((await world.ask(chatWith(model, words))).status).toBe(200)
    const price_version = expect.stringMatching(version)
    await world.expectLog({ ...basis, quota: Math.ceil(dollars * 500_000), price_version })
  },
)

test.each(DATABASES)('on %s a write for an hour costs Kimi twice the input', async (kind) => {
  const model = 'kimi-k3'
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 3000,
    cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
  }
  const content = [{ type: 'text', text: 'Hello' }]
  const answer = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage }
  const channel = { type: 14, models: model, script: [answerJson(answer)] }
  const world = await setUp([channel], { kind, quota: QUOTA })
  const { messages } = chatWith(model)
  const asked = await world.ask({ model, max_tokens: 50, messages }, { path: '/v1/messages' })
  expect(asked.status).toBe(200)
  const quota = Math.ceil(((10 * 3 + 1000 * 3 + 2000 * 6 + 5 * 15) / 1e6) * 500_000)
  await world.expectLog({ quota })
})

/** Moments in order, each with dollars per million tokens of input and output. */
const MOMENTS = {
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

test.each(
  DATABASES.flatMap((kind) =>
    Object.entries(MOMENTS).map(([model, moments]) => ({ kind, model, moments })),
  ),
)('on $kind the price of $model changes by the clock', async ({ kind, model, moments }) => {
  let wall = Date.parse(moments[0][0])
  const clock = { ...systemClock, now: () => wall }
  const script = moments.map(() => answerJson({ choices, usage: parts }))
  const world = await setUp([{ models: model, script }], { kind, quota: QUOTA, clock })
  for (const [time, input, output, price_version] of moments) {
    wall = Date.parse(time)
    expect((await world.ask(chatWith(model))).status).toBe(200)
    const dollars = (3000 * input + 100 * output) / 1e6
    const quota = Math.ceil(Number((dollars * 500_000).toFixed(6)))
    await world.expectLog({ quota, price_version })
  }
})

const cachedUsage = { ...parts, prompt_tokens_details: { cached_tokens: 1000 } }
const cachedAnswer = answerJson({ choices, usage: cachedUsage })

/** Dollars a call, at 500,000 units a dollar and a group ratio of 2. */
const callPrice = (dollars: number): [['ModelPrice', string], ['GroupRatio', string]] => [
  ['ModelPrice', JSON.stringify({ [MODEL]: dollars })],
  ['GroupRatio', '{"default": 2}'],
]

test.each(DATABASES)('on %s a call costs its price, whatever its tokens', async (kind) => {
  const stream = answerStream([
    chunk({ content: 'Hello' }),
    chunk({ finish: 'stop' }),
    chunk({ usage: cachedUsage }),
    DONE,
  ])
  const script = [cachedAnswer, stream, answerChat()]
  const world = await setUp(script, { kind, options: callPrice(0.01) })
  const chat = chatWith(MODEL)
  for (const request of [chat, { ...chat, stream: true }, chat]) {
    const response = await world.ask(request)
    await response.text()
    expect(response.status).toBe(200)
    const { log } = await world.books()
    expect(log).toMatchObject({ quota: 0.01 * 500_000 * 2 })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      price_version: expect.stringMatching(/\+options$/),
      prompt_tokens: 1000,
      completion_ratio: 0,
      model_ratio: 5,
      measured: { unit: 'call', count: 1 },
    })
  }
})

test.each(
  DATABASES.flatMap((kind) => [
    { kind, what: 'a failed call', dollars: 0.01, quota: 100_000, status: 400 },
    { kind, what: 'a call that its balance does not pay', dollars: 0.01, quota: 9999, status: 403 },
    { kind, what: 'a call at 0 dollars, without a balance,', dollars: 0, quota: 0, status: 200 },
  ]),
)('on $kind $what costs nothing', async ({ kind, dollars, quota, status }) => {
  const script = [status === 400 ? answerError(400, { message: 'no' }) : cachedAnswer]
  const world = await setUp(script, { kind, quota, options: callPrice(dollars) })
  expect((await world.ask(chatWith(MODEL))).status).toBe(status)
  expect((await world.books()).account).toMatchObject({ quota })
})
