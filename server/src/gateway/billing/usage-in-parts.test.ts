import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  chargeFor,
  chat,
  chatStream,
  CLAUDE,
  claudeStream,
  geminiStream,
  HI,
  reportedUsage,
  type ReportRow,
  saying,
  shareReportsWorld,
} from '../../../testing/worlds/reported-usage.ts'

/*
 * Reports that come in several events, or leave parts to the total. `charged` are the prompt,
 * cached and completion tokens, and the quota.
 */

type Row = Omit<ReportRow, 'charged'> & { charged: readonly [number, number, number, number] }

const LONG = saying('word '.repeat(4000))
const ASK_CLAUDE = {
  channel: 'anthropic',
  path: CLAUDE,
  body: { model: 'claude-sonnet-4-5', max_tokens: 100, stream: true, messages: LONG },
} as const
const ASK_CHAT = {
  channel: 'openai',
  body: { model: 'gpt-4o', messages: LONG, stream: true },
} as const
const ASK_GEMINI = {
  channel: 'gemini',
  body: { model: 'gemini-2.5-pro', messages: LONG, stream: true },
} as const
const ZEROS = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }

const ROWS: Row[] = [
  {
    title: 'zeros at the end, envoyproxy/ai-gateway#1631',
    ...ASK_CLAUDE,
    answers: claudeStream(
      { ...ZEROS, input_tokens: 20, cache_read_input_tokens: 4000, output_tokens: 1 },
      { ...ZEROS, output_tokens: 3 },
    ),
    charged: [4020, 4000, 3, 653],
  },
  {
    title: 'zeros at the beginning, sgl-project/sglang#20678',
    ...ASK_CLAUDE,
    answers: claudeStream(
      { ...ZEROS, output_tokens: 0 },
      { ...ZEROS, input_tokens: 20, cache_read_input_tokens: 4000, output_tokens: 3 },
    ),
    charged: [4020, 4000, 3, 653],
  },
  {
    title: 'the same numbers twice, which are not added',
    ...ASK_CLAUDE,
    answers: claudeStream(
      { ...ZEROS, input_tokens: 20, cache_read_input_tokens: 4000, output_tokens: 3 },
      { ...ZEROS, input_tokens: 20, cache_read_input_tokens: 4000, output_tokens: 3 },
    ),
    charged: [4020, 4000, 3, 653],
  },
  {
    title: 'a zero for the part of the cache that lasts an hour',
    ...ASK_CLAUDE,
    answers: claudeStream(
      {
        ...ZEROS,
        cache_creation_input_tokens: 4000,
        cache_creation: { ephemeral_1h_input_tokens: 4000 },
        output_tokens: 1,
      },
      { ...ZEROS, cache_creation: { ephemeral_1h_input_tokens: 0 }, output_tokens: 4 },
    ),
    charged: [4000, 0, 4, 12_030],
  },
  {
    title: 'a prompt in the first event only',
    ...ASK_CHAT,
    answers: chatStream(
      { prompt_tokens: 0, completion_tokens: 4, total_tokens: 4 },
      {
        prompt_tokens: 4000,
        completion_tokens: 0,
        total_tokens: 4000,
        prompt_tokens_details: { cached_tokens: 2000 },
      },
    ),
    charged: [4000, 2000, 4, 3770],
  },
  {
    title: 'a prompt of Gemini in the first event only',
    ...ASK_GEMINI,
    answers: geminiStream(
      { promptTokenCount: 4000, thoughtsTokenCount: 400, totalTokenCount: 4400 },
      { promptTokenCount: 0, candidatesTokenCount: 4 },
    ),
    charged: [4000, 0, 404, 4520],
  },
  {
    title: 'reasoning that xAI reports in addition to the output',
    channel: 'custom',
    body: { model: 'grok-3-mini', messages: HI, stream: true },
    answers: chatStream({ ...reportedUsage(12, 2, 317), total_tokens: 331 }),
    charged: [12, 0, 319, 82],
  },
  {
    title: 'reasoning of Gemini in the total only, mozilla-ai/any-llm#1290',
    channel: 'custom',
    body: { model: 'gemini-2.5-flash', messages: HI },
    answers: chat({ prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }),
    charged: [20, 0, 603, 757],
  },
  {
    title: 'a cache in addition to the prompt, QuantumNous/new-api#3258',
    channel: 'custom',
    body: { model: 'claude-opus-4-7', messages: LONG },
    answers: chat({ ...reportedUsage(10, 5), prompt_tokens_details: { cached_tokens: 4000 } }),
    charged: [4010, 4000, 5, 1088],
  },
]

describe.each(DATABASES)('usage in parts, on %s', (kind) => {
  const world = shareReportsWorld(kind)

  test.each(ROWS)('$title', async ({ charged, ...row }) => {
    const { source, log, basis } = await chargeFor(world, row)
    expect(source).toBe('reported')
    const { prompt_tokens: prompt, completion_tokens: completion, quota } = log ?? {}
    expect([prompt, basis.cached_tokens, completion, quota]).toEqual(charged)
  })
})
