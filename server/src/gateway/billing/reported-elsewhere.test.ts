import { describe, expect, test } from 'vitest'
import { wav } from '../../../../relay/src/audio-length/testing/recordings.ts'
import { answerStream, chunk, DONE } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  chargeFor,
  chat,
  CLAUDE,
  claude,
  claudeStream,
  type ReportRow,
  saying,
  shareReportsWorld,
} from '../../../testing/worlds/reported-usage.ts'

/*
 * Usage that other gateways charged wrongly, by the public reports named in the titles. `charged`
 * are the prompt, cached, written and completion tokens, and the quota.
 */

type Row = Omit<ReportRow, 'charged'> & { charged: readonly number[] }

const LONG = saying('word '.repeat(4000))
/** $3 a million input tokens, $0.30 cached, $3.75 written, $6 for an hour, $15 of output. */
const SONNET = {
  channel: 'anthropic',
  path: CLAUDE,
  body: { model: 'claude-sonnet-4-5', max_tokens: 100, messages: LONG },
} as const
const STREAMED_SONNET = { ...SONNET, body: { ...SONNET.body, stream: true } } as const

const usageOf = (cached: number, details: object = {}) => ({
  prompt_tokens: 4000,
  completion_tokens: 4,
  total_tokens: 4004,
  prompt_tokens_details: { cached_tokens: cached, ...details },
})

/** The last chunk with a choice has the usage too. */
const usageBesideChoice = answerStream([
  chunk({ content: 'Hello there' }),
  chunk({ finish: 'stop' }),
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: {} }], usage: usageOf(3000) })}\n\n`,
  DONE,
])

const ROWS: Row[] = [
  {
    title: 'cache writes beyond the breakdown of the first event, BerriAI/litellm#42663',
    ...STREAMED_SONNET,
    answers: claudeStream(
      {
        input_tokens: 20,
        cache_creation_input_tokens: 1000,
        cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 0 },
        output_tokens: 1,
      },
      { input_tokens: 20, cache_creation_input_tokens: 3000, output_tokens: 4 },
    ),
    // (20 × 3 + 3000 × 3.75 + 4 × 15) ÷ 2
    charged: [3020, 0, 3000, 4, 5685],
  },
  {
    title: 'cache writes without a breakdown, QuantumNous/new-api#5756',
    ...SONNET,
    answers: claude({ input_tokens: 20, cache_creation_input_tokens: 3000, output_tokens: 4 }),
    charged: [3020, 0, 3000, 4, 5685],
  },
  {
    title: 'cache writes once, and not as other input again, BerriAI/litellm#9812',
    ...SONNET,
    answers: claude({
      input_tokens: 3,
      cache_creation_input_tokens: 3900,
      cache_read_input_tokens: 0,
      output_tokens: 50,
    }),
    // (3 × 3 + 3900 × 3.75 + 50 × 15) ÷ 2
    charged: [3903, 0, 3900, 50, 7692],
  },
  {
    title: 'a prompt that is cached as a whole, DEEIX-AI/DEEIX-Chat#720',
    ...SONNET,
    answers: claude({ input_tokens: 0, cache_read_input_tokens: 4000, output_tokens: 4 }),
    // (4000 × 0.3 + 4 × 15) ÷ 2
    charged: [4000, 4000, 0, 4, 630],
  },
  {
    title: 'cached tokens of a stream through Messages, BerriAI/litellm#11789',
    ...STREAMED_SONNET,
    answers: claudeStream(
      { input_tokens: 4, cache_read_input_tokens: 3996, output_tokens: 1 },
      { output_tokens: 4 },
    ),
    // (4 × 3 + 3996 × 0.3 + 4 × 15) ÷ 2
    charged: [4000, 3996, 0, 4, 636],
  },
  {
    title: 'usage next to a choice, BerriAI/litellm#36168',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: LONG, stream: true },
    answers: usageBesideChoice,
    // (1000 × 2.5 + 3000 × 1.25 + 4 × 10) ÷ 2
    charged: [4000, 3000, 0, 4, 3145],
  },
  {
    title: 'cached speech once, also without details of the cache, QuantumNous/new-api#7229',
    channel: 'custom',
    body: {
      model: 'gemini-2.5-flash',
      messages: saying([
        { type: 'text', text: 'word '.repeat(200) },
        { type: 'input_audio', input_audio: { data: wav(25).toString('base64'), format: 'wav' } },
      ]),
    },
    answers: chat({
      prompt_tokens: 1000,
      completion_tokens: 4,
      total_tokens: 1004,
      prompt_tokens_details: { cached_tokens: 950, audio_tokens: 800, text_tokens: 200 },
    }),
    // (50 of speech × 1 + 950 × 0.03 + 4 × 2.5) ÷ 2
    charged: [1000, 950, 0, 4, 45],
  },
  {
    title: 'cached text that a report counts as text too, BerriAI/litellm#14849',
    channel: 'custom',
    body: { model: 'gemini-2.5-flash', messages: LONG },
    answers: chat(usageOf(3900, { text_tokens: 4000 })),
    // (100 × 0.3 + 3900 × 0.03 + 4 × 2.5) ÷ 2
    charged: [4000, 3900, 0, 4, 79],
  },
  {
    title: 'a cache in a stream whose details have zeros too, QuantumNous/new-api#6144',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: LONG, stream: true },
    answers: answerStream([
      chunk({ content: 'Hello there' }),
      chunk({ finish: 'stop' }),
      chunk({ usage: usageOf(3900, { text_tokens: 0, audio_tokens: 0, image_tokens: 0 }) }),
      DONE,
    ]),
    // (100 × 2.5 + 3900 × 1.25 + 4 × 10) ÷ 2
    charged: [4000, 3900, 0, 4, 2583],
  },
]

describe.each(DATABASES)('on %s', (kind) => {
  const world = shareReportsWorld(kind)

  test.each(ROWS)('$title', async ({ charged, ...row }) => {
    const { source, log, basis } = await chargeFor(world, row)
    expect(source).toBe('reported')
    const { prompt_tokens: prompt, completion_tokens: completion, quota } = log ?? {}
    const { cached_tokens: cached, cache_write_tokens: written } = basis
    expect([prompt, cached, written, completion, quota]).toEqual(charged)
  })
})
