import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
  chunk,
} from '../../../testing/fakes/scripted-upstream.ts'
import { ask, books, setUp, tearDown, type World } from '../../../testing/worlds/relay-scenario.ts'

/* Reports of honest providers, and reports of the same kinds that no request can have caused. */

const CHANNELS = [
  { name: 'openai', type: 1, models: 'gpt-4o,gpt-5,o3,text-embedding-3-small' },
  {
    name: 'custom',
    type: 8,
    models: 'grok-4,deepseek-r1,doubao-seed-1-6,llama-2-70b',
  },
  { name: 'anthropic', type: 14, models: 'claude-sonnet-4-5,claude-3-5-haiku-20241022' },
  { name: 'gemini', type: 24, models: 'gemini-2.5-pro,gemini-2.0-flash' },
  { name: 'ollama', type: 30, models: 'qwen3,llama3' },
] as const
type Channel = (typeof CHANNELS)[number]['name']
type Row = {
  title: string
  channel: Channel
  body: { model: string } & Record<string, unknown>
  path?: string
  answers: Behaviour
}

const CLAUDE = '/v1/messages'
const EMBEDDINGS = '/v1/embeddings'
const HI = [{ role: 'user', content: 'hi' }]
const saying = (content: unknown) => [{ role: 'user', content }]
const WORDS = 'Hello there'

const chat = (usage: object, message: object = {}) =>
  answerJson({
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: WORDS, ...message },
        finish_reason: 'stop',
      },
    ],
    usage,
  })
const chatStream = (usage: object) =>
  answerStream([
    chunk({ content: WORDS }),
    chunk({ finish: 'stop' }),
    chunk({ usage }),
    'data: [DONE]\n\n',
  ])
const claude = (usage: object, content: object[] = [{ type: 'text', text: WORDS }]) =>
  answerJson({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage })
const claudeStream = (usage: object, last: object) => {
  const events = [
    { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORDS } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last },
    { type: 'message_stop' },
  ]
  return answerStream(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  )
}
const gemini = (usageMetadata: object) =>
  answerJson({
    candidates: [{ content: { role: 'model', parts: [{ text: WORDS }] }, finishReason: 'STOP' }],
    usageMetadata,
  })
const ollama = (counts: object) =>
  answerJson({
    model: 'm',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content: WORDS },
    done_reason: 'stop',
    done: true,
    ...counts,
  })
const embeddings = (tokens: number) =>
  answerJson({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })

/** Usage in OpenAI's format, in which reasoning is part of the output. */
const told = (prompt_tokens: number, completion_tokens: number, reasoning_tokens = 0) => ({
  prompt_tokens,
  completion_tokens,
  completion_tokens_details: { reasoning_tokens },
})

/** One pixel. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const FILE = { type: 'file', file: { file_id: 'https://files.example/a-book.pdf' } }
const TOOLS = [{ name: 'bash', input_schema: { type: 'object' } }]
const HEX = 'c0ffee15deadbeef'.repeat(2000)
const CHINESE = '网关的账本必须精确到最后一个单位。'.repeat(400)

const HONEST: Row[] = [
  {
    title: 'reasoning within the limit',
    channel: 'openai',
    body: { model: 'o3', messages: HI, max_completion_tokens: 4096 },
    answers: chat(told(8, 4000, 3900)),
  },
  {
    title: 'reasoning without a limit, in a stream',
    channel: 'openai',
    body: { model: 'gpt-5', messages: HI, stream: true },
    answers: chatStream(told(8, 60_000, 59_000)),
  },
  {
    title: 'two answers of the whole limit each',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 500, n: 2 },
    answers: chat(told(8, 1000)),
  },
  {
    title: 'a picture, whose tokens differ from model to model',
    channel: 'openai',
    body: {
      model: 'gpt-4o',
      messages: saying([{ type: 'image_url', image_url: { url: PICTURE } }]),
    },
    answers: chat(told(2833 + 9, 5)),
  },
  {
    title: 'hexadecimal digits, of which few make a token',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: saying(HEX) },
    answers: chat(told(Math.ceil(HEX.length / 1.6), 5)),
  },
  {
    title: 'the schema of an answer, which is part of the prompt',
    channel: 'openai',
    body: {
      model: 'gpt-4o',
      messages: HI,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object', description: HEX } },
      },
    },
    answers: chat(told(Math.ceil(HEX.length / 1.6), 5)),
  },
  {
    title: 'a file as long as the window of its model',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: saying([FILE]), max_tokens: 5 },
    answers: chat(told(120_000, 5)),
  },
  {
    title: 'embeddings of many texts',
    channel: 'openai',
    path: EMBEDDINGS,
    body: { model: 'text-embedding-3-small', input: Array(200).fill('a few words of a text') },
    answers: embeddings(1000),
  },
  {
    title: 'the 700 tokens that xAI has before a prompt',
    channel: 'custom',
    body: { model: 'grok-4', messages: HI, max_tokens: 50 },
    answers: chat(told(708, 40, 30)),
  },
  {
    title: 'thoughts that are shown, and that a limit is not for',
    channel: 'custom',
    body: { model: 'deepseek-r1', messages: HI, max_tokens: 10 },
    answers: chat(told(8, 3010, 3000), { reasoning_content: 'so '.repeat(3000) }),
  },
  {
    title: 'the same of ByteDance',
    channel: 'custom',
    body: { model: 'doubao-seed-1-6', messages: HI, max_tokens: 10 },
    answers: chat(told(8, 3010, 3000), { reasoning_content: 'so '.repeat(3000) }),
  },
  {
    title: 'Chinese in the tokens of a model that has none for it',
    channel: 'custom',
    body: { model: 'llama-2-70b', messages: saying(CHINESE) },
    answers: chat(told(CHINESE.length * 2.5, 5)),
  },
  {
    title: 'tools, whose use Anthropic explains to its models',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-sonnet-4-5', max_tokens: 50, messages: HI, tools: TOOLS },
    answers: claude({ input_tokens: 2100, output_tokens: 40 }),
  },
  {
    title: 'a budget for thoughts that do not show',
    channel: 'anthropic',
    path: CLAUDE,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 6000,
      messages: HI,
      thinking: { type: 'enabled', budget_tokens: 5000 },
    },
    answers: claude({ input_tokens: 30, output_tokens: 5100 }),
  },
  {
    title: 'a prompt that comes from the cache, in a stream',
    channel: 'anthropic',
    path: CLAUDE,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 50,
      stream: true,
      messages: saying('word '.repeat(20_000)),
    },
    answers: claudeStream(
      { input_tokens: 4, cache_read_input_tokens: 20_100, output_tokens: 1 },
      { output_tokens: 5 },
    ),
  },
  {
    title: 'thoughts of Gemini',
    channel: 'gemini',
    body: { model: 'gemini-2.5-pro', messages: HI, max_tokens: 9000 },
    answers: gemini({ promptTokenCount: 8, candidatesTokenCount: 5, thoughtsTokenCount: 8000 }),
  },
  {
    title: 'what Ollama counts',
    channel: 'ollama',
    body: { model: 'qwen3', messages: HI },
    answers: ollama({ prompt_eval_count: 30, eval_count: 900 }),
  },
]

const DISHONEST: Row[] = [
  {
    title: 'a prompt at the end of a stream',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 5, stream: true },
    answers: chatStream(told(30_000, 5)),
  },
  {
    title: 'reasoning at the end of a stream',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 5, stream: true },
    answers: chatStream(told(8, 16_001, 16_000)),
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
    answers: chat(told(8, 8002, 8000)),
  },
  {
    title: 'a file beyond the window of its model',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: saying([FILE]), max_tokens: 5 },
    answers: chat(told(1_000_000, 5)),
  },
  {
    title: 'sound that nobody asked for',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 200 },
    answers: chat({ ...told(8, 200), completion_tokens_details: { audio_tokens: 190 } }),
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
    answers: chat(told(60_000, 5)),
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
    answers: chat(told(8, 30_010, 30_000)),
  },
  {
    title: 'a prompt of Ollama',
    channel: 'ollama',
    body: { model: 'llama3', messages: HI },
    answers: ollama({ prompt_eval_count: 30_000, eval_count: 9 }),
  },
  {
    title: 'embeddings of a text that is not as long',
    channel: 'openai',
    path: EMBEDDINGS,
    body: { model: 'text-embedding-3-small', input: 'a few words' },
    answers: embeddings(8000),
  },
]

let world: World
beforeAll(async () => {
  world = await setUp(
    CHANNELS.map(({ type, models }) => ({ type, models, script: [] })),
    { quota: 1e9 },
  )
})
afterAll(tearDown)

async function sourceOf({ channel, body, path = '/v1/chat/completions', answers }: Row) {
  const index = CHANNELS.findIndex(({ name }) => name === channel)
  world.upstream.script(`p${index}`, answers)
  const answer = await ask(world, body, { path })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  const { log } = await books(world)
  const { usage_source: source, overruled } = JSON.parse(log?.basis ?? '')
  return { source, isMarked: overruled !== undefined, log }
}

describe('a report that is honest is charged as it is', () => {
  test.each(HONEST)('$channel: $title', async (row) => {
    expect(await sourceOf(row)).toMatchObject({ source: 'reported', isMarked: false })
  })
})

describe('a report of what cannot have been is not', () => {
  test.each(DISHONEST)('$channel: $title', async (row) => {
    const { source, isMarked, log } = await sourceOf(row)
    expect({ source, isMarked }).toEqual({ source: 'overruled', isMarked: true })
    expect(log?.completion_tokens).toBeLessThanOrEqual(16)
  })
})
