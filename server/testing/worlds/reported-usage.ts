import { expect } from 'vitest'
import { chargeBasisSchema } from '@tollgate/contract'
import { answerJson, answerStream, type Behaviour, chunk } from '../fakes/scripted-upstream.ts'
import type { DatabaseKind } from '../harness/databases.ts'
import { ask, books, shareWorld, type World } from './relay-scenario.ts'

/* Providers of every dialect, which report a given usage for a short answer. */

const CHANNELS = [
  { name: 'openai', type: 1, models: 'gpt-4o,gpt-5,o3,o4-mini,text-embedding-3-small' },
  {
    name: 'custom',
    type: 8,
    models:
      'grok-4,grok-3-mini,deepseek-r1,deepseek-v4-flash,doubao-seed-1-6,llama-2-70b,' +
      'gemini-2.5-flash,claude-sonnet-4,claude-opus-4-7,sonar-deep-research,voxtral-small,' +
      'openai/gpt-4o:online,groq/compound',
  },
  {
    name: 'anthropic',
    type: 14,
    models: 'claude-sonnet-4-5,claude-haiku-4-5,claude-3-5-haiku-20241022',
  },
  { name: 'gemini', type: 24, models: 'gemini-2.5-pro,gemini-2.0-flash' },
  { name: 'ollama', type: 30, models: 'qwen3,llama3' },
] as const
type Channel = (typeof CHANNELS)[number]['name']

export type ReportRow = {
  title: string
  channel: Channel
  body: Record<string, unknown>
  path?: string
  answers: Behaviour
  /** Prompt and completion tokens, if the report does not name them as they are charged. */
  charged?: readonly [number, number]
}

export const CLAUDE = '/v1/messages'
export const EMBEDDINGS = '/v1/embeddings'
export const HI = [{ role: 'user', content: 'hi' }]
export const saying = (content: unknown) => [{ role: 'user', content }]
/** One pixel. */
export const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const FILE = { type: 'file', file: { file_id: 'https://files.example/a-book.pdf' } }

const WORDS = 'Hello there'

export const chat = (usage: object, message: object = {}) =>
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

export const chatStream = (usage: object, first?: object) =>
  answerStream([
    ...(first === undefined ? [] : [chunk({ usage: first })]),
    chunk({ content: WORDS }),
    chunk({ finish: 'stop' }),
    chunk({ usage }),
    'data: [DONE]\n\n',
  ])

export const claude = (usage: object, content: object[] = [{ type: 'text', text: WORDS }]) =>
  answerJson({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage })

export const claudeStream = (usage: object, last: object) => {
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

export const gemini = (usageMetadata: object) =>
  answerJson({
    candidates: [{ content: { role: 'model', parts: [{ text: WORDS }] }, finishReason: 'STOP' }],
    usageMetadata,
  })

export const geminiStream = (...reports: object[]) =>
  answerStream(
    reports.map((usageMetadata, index) => {
      const isLast = index === reports.length - 1
      const content = { role: 'model', parts: isLast ? [] : [{ text: WORDS }] }
      const candidates = [{ content, ...(isLast && { finishReason: 'STOP' }) }]
      return `data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`
    }),
  )

export const ollama = (counts: object) =>
  answerJson({
    model: 'm',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content: WORDS },
    done_reason: 'stop',
    done: true,
    ...counts,
  })

export const embeddings = (tokens: number, total = tokens) =>
  answerJson({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
    usage: { prompt_tokens: tokens, total_tokens: total },
  })

/** Usage in OpenAI's format, in which reasoning is part of the output. */
export const reportedUsage = (
  prompt_tokens: number,
  completion_tokens: number,
  reasoning_tokens = 0,
) => ({
  prompt_tokens,
  completion_tokens,
  completion_tokens_details: { reasoning_tokens },
})

const OF_OTHERS = { 'OAI-001': 'servers of this form have members of their own' }

export const shareReportsWorld = (kind: DatabaseKind = 'sqlite') =>
  shareWorld(
    CHANNELS.map(({ type, models }) => ({ type, models, allow: OF_OTHERS, script: [] })),
    { kind, quota: 1e9, options: [['UnpricedFeaturesEnabled', 'true']] },
  )

/** How the answer of a row was charged. */
export async function chargeFor(
  world: World,
  { channel, body, path = '/v1/chat/completions', answers }: ReportRow,
) {
  const index = CHANNELS.findIndex(({ name }) => name === channel)
  world.upstream.script(`p${index}`, answers)
  const answer = await ask(world, body, { path })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  const { log } = await books(world)
  const { usage_source, overruled, ...basis } = chargeBasisSchema.parse(
    JSON.parse(log?.basis ?? ''),
  )
  return { source: usage_source, isMarked: overruled !== undefined, log, basis }
}
