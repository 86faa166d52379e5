import { describe, expect, test } from 'vitest'
import {
  chargeFor,
  chat,
  chatStream,
  claude,
  CLAUDE,
  claudeStream,
  embeddings,
  EMBEDDINGS,
  FILE,
  gemini,
  HI,
  ollama,
  PICTURE,
  type ReportRow,
  saying,
  shareReportsWorld,
  reportedUsage,
} from '../../../testing/worlds/reported-usage.ts'

/* Reports that no request can have caused. `usage-bounds-honest.test.ts` has honest ones. */

const DISHONEST: ReportRow[] = [
  {
    title: 'a prompt at the end of a stream',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 5, stream: true },
    answers: chatStream(reportedUsage(30_000, 5)),
  },
  {
    title: 'reasoning at the end of a stream',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 5, stream: true },
    answers: chatStream(reportedUsage(8, 16_001, 16_000)),
  },
  {
    title: 'output beyond the limit',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-3-5-haiku-20241022', max_tokens: 5, messages: HI },
    answers: claude({ input_tokens: 8, output_tokens: 16_000 }),
  },
  {
    title: 'reasoning of a model without any, within the limit',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 16_000 },
    answers: chat(reportedUsage(8, 8002, 8000)),
  },
  {
    title: 'a file beyond the window of its model',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: saying([FILE]), max_tokens: 5 },
    answers: chat(reportedUsage(1_000_000, 5)),
  },
  {
    title: 'sound that nobody asked for',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 200 },
    answers: chat({ ...reportedUsage(8, 200), completion_tokens_details: { audio_tokens: 190 } }),
  },
  {
    title: 'sound that nobody sent',
    channel: 'gemini',
    body: { model: 'gemini-2.0-flash', messages: HI },
    answers: gemini({
      promptTokenCount: 900,
      candidatesTokenCount: 5,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 890 }],
    }),
  },
  {
    title: 'twice as many tokens as a long prompt has',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: saying('word '.repeat(20_000)), max_tokens: 5 },
    answers: chat(reportedUsage(60_000, 5)),
  },
  {
    title: 'a cache that holds what was never sent',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-sonnet-4-5', max_tokens: 5, messages: HI },
    answers: claude({ input_tokens: 4, cache_read_input_tokens: 200_000, output_tokens: 5 }),
  },
  {
    title: 'a cache for an hour that was written with it, in a stream',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-sonnet-4-5', max_tokens: 5, messages: HI, stream: true },
    answers: claudeStream(
      {
        input_tokens: 4,
        output_tokens: 1,
        cache_creation_input_tokens: 50_000,
        cache_creation: { ephemeral_1h_input_tokens: 50_000 },
      },
      { output_tokens: 5 },
    ),
  },
  {
    title: 'output beyond the limit, in the last event of a stream',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-sonnet-4-5', max_tokens: 5, messages: HI, stream: true },
    answers: claudeStream({ input_tokens: 8, output_tokens: 1 }, { output_tokens: 50_000 }),
  },
  {
    title: 'runs of a model that sums up where nobody asked it to',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-sonnet-4-5', max_tokens: 5, messages: HI },
    answers: claude({
      input_tokens: 8,
      output_tokens: 5,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
        { type: 'message', input_tokens: 8, output_tokens: 5 },
      ],
    }),
  },
  {
    title: 'thoughts of a Gemini that has none',
    channel: 'gemini',
    body: { model: 'gemini-2.0-flash', messages: HI, max_tokens: 50 },
    answers: gemini({ promptTokenCount: 8, candidatesTokenCount: 5, thoughtsTokenCount: 8000 }),
  },
  {
    title: 'thoughts beyond the limit of a Gemini that has some',
    channel: 'gemini',
    body: { model: 'gemini-2.5-pro', messages: HI, max_tokens: 50 },
    answers: gemini({ promptTokenCount: 8, candidatesTokenCount: 5, thoughtsTokenCount: 8000 }),
  },
  {
    title: 'thoughts that are not shown where all of that vendor are',
    channel: 'custom',
    body: { model: 'deepseek-r1', messages: HI, max_tokens: 10 },
    answers: chat(reportedUsage(8, 30_010, 30_000)),
  },
  {
    title: 'a prompt of Ollama',
    channel: 'ollama',
    body: { model: 'llama3', messages: HI },
    answers: ollama({ prompt_eval_count: 30_000, eval_count: 9 }),
  },
  {
    title: "a prompt that a reseller puts before its client's",
    channel: 'custom',
    body: { model: 'deepseek-v4-flash', messages: HI },
    answers: chat({
      ...reportedUsage(7653, 42),
      total_tokens: 7695,
      prompt_tokens_details: { cached_tokens: 7552 },
    }),
  },
  {
    title: 'a prompt that is counted once for each answer',
    channel: 'custom',
    body: { model: 'llama-2-70b', messages: saying('word '.repeat(5000)), n: 4 },
    answers: chat(reportedUsage(20_000 + 4 * 8, 40)),
  },
  {
    title: 'a picture that is counted as the text of its bytes',
    channel: 'openai',
    body: {
      model: 'o4-mini',
      messages: saying([{ type: 'image_url', image_url: { url: PICTURE } }]),
    },
    answers: chat({ ...reportedUsage(774_779, 1065), total_tokens: 775_844 }),
  },
  {
    title: 'a total with a cache that was never sent',
    channel: 'custom',
    body: { model: 'claude-sonnet-4', messages: HI },
    answers: chat({
      ...reportedUsage(4, 5),
      total_tokens: 50_009,
      prompt_tokens_details: { cached_tokens: 50_000 },
    }),
  },
  {
    title: 'a window that a tool of the client cannot read again',
    channel: 'anthropic',
    path: CLAUDE,
    body: {
      model: 'claude-haiku-4-5',
      max_tokens: 500,
      messages: HI,
      tools: [{ type: 'bash_20250124', name: 'bash' }],
    },
    answers: claude({ input_tokens: 300_000, output_tokens: 400 }),
  },
  {
    title: 'embeddings of a text that is not as long',
    channel: 'openai',
    path: EMBEDDINGS,
    body: { model: 'text-embedding-3-small', input: 'a few words' },
    answers: embeddings(8000),
  },
]

const world = shareReportsWorld()

describe('an implausible report is not charged', () => {
  test.each(DISHONEST)('$channel: $title', async (row) => {
    const { source, isMarked, log } = await chargeFor(world, row)
    expect({ source, isMarked }).toEqual({ source: 'overruled', isMarked: true })
    expect(log?.completion_tokens).toBeLessThanOrEqual(16)
  })
})
