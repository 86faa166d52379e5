import { expect, test } from 'vitest'
import { answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { setUp } from '../../../testing/worlds/relay-scenario.ts'

const QUOTA = 4_000_000

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

const parts = { prompt_tokens: 3000, completion_tokens: 100, total_tokens: 3100 }

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
  async ({ kind, model, usage, dollars, words = 3000, basis = {}, version = /^[\d-]+$/ }) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' } }]
    const world = await setUp([{ models: model, script: [answerJson({ choices, usage })] }], {
      kind,
      quota: QUOTA,
    })
    const messages = [{ role: 'user', content: 'word '.repeat(words) }]
    expect((await world.ask({ messages, model, max_completion_tokens: 200 })).status).toBe(200)
    const { log, account } = await world.books()
    const cost = Math.ceil(dollars * 500_000)
    expect(log).toMatchObject({ quota: cost })
    expect(account).toMatchObject({ quota: QUOTA - cost })
    const stored: unknown = JSON.parse(log?.basis ?? '')
    expect(stored).toMatchObject({ ...basis, price_version: expect.stringMatching(version) })
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
  const asked = {
    model,
    max_tokens: 50,
    messages: [{ role: 'user', content: 'word '.repeat(3000) }],
  }
  expect((await world.ask(asked, { path: '/v1/messages' })).status).toBe(200)
  const { log, account } = await world.books()
  const cost = Math.ceil(((10 * 3 + 1000 * 3 + 2000 * 6 + 5 * 15) / 1e6) * 500_000)
  expect(log).toMatchObject({ quota: cost })
  expect(account).toMatchObject({ quota: QUOTA - cost })
})
