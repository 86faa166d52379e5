import { expect } from 'vitest'
import { chargeBasisSchema } from '@tollgate/contract'
import { wav } from '../../../relay/src/audio-length/testing/recordings.ts'
import { answerJson, answerStream, type Behaviour, chunk } from '../fakes/scripted-upstream.ts'
import type { DatabaseKind } from '../harness/databases.ts'
import { shareWorld, type World } from './relay-scenario.ts'

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

type Charged = Record<'prompt' | 'cached' | 'written' | 'completion' | 'quota', number>

export type ReportRow = {
  title: string
  channel: Channel
  body: Record<string, unknown>
  path?: string
  /** The name of an answer below, and its arguments. */
  answer: [keyof typeof ANSWERS, ...unknown[]]
  charged?: Partial<Charged>
}

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

const chatStream = (usage: object, first?: object) =>
  answerStream([
    ...(first === undefined ? [] : [chunk({ usage: first })]),
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

const geminiStream = (...reports: object[]) =>
  answerStream(
    reports.map((usageMetadata, index) => {
      const isLast = index === reports.length - 1
      const content = { role: 'model', parts: isLast ? [] : [{ text: WORDS }] }
      const candidates = [{ content, ...(isLast && { finishReason: 'STOP' }) }]
      return `data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`
    }),
  )

const ollama = (counts: object) =>
  answerJson({
    model: 'm',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content: WORDS },
    done_reason: 'stop',
    done: true,
    ...counts,
  })

const embeddings = (tokens: number, total = tokens) =>
  answerJson({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
    usage: { prompt_tokens: tokens, total_tokens: total },
  })

const ANSWERS = {
  chat,
  chatStream,
  claude,
  claudeStream,
  gemini,
  geminiStream,
  ollama,
  embeddings,
  stream: (...events: string[]) => answerStream(events),
}

function answerOf([name, ...given]: ReportRow['answer']): Behaviour {
  const build: (...given: never[]) => Behaviour = ANSWERS[name]
  // Safe because a fixture lists the arguments of the answer that it names.
  return build(...(given as never[]))
}

/** Fixtures abbreviate long texts: `20 × word`. */
export function unabbreviated(_key: string, value: unknown): unknown {
  if (value === 'wav of 25 seconds') return wav(25).toString('base64')
  const [, count, text = ''] = /^(\d+) × (.*)$/.exec(typeof value === 'string' ? value : '') ?? []
  return count === undefined ? value : text.repeat(Number(count))
}

const OF_OTHERS = { 'OAI-001': 'servers of this form have members of their own' }

export const shareReportsWorld = (kind: DatabaseKind = 'sqlite') =>
  shareWorld(
    CHANNELS.map(({ type, models }) => ({ type, models, allow: OF_OTHERS, script: [] })),
    { kind, quota: 1e9, options: [['UnpricedFeaturesEnabled', 'true']] },
  )

/** How the answer of a row was charged. */
export async function chargeFor(
  world: World,
  { channel, body, path = '/v1/chat/completions', answer: given }: ReportRow,
) {
  const index = CHANNELS.findIndex(({ name }) => name === channel)
  world.upstream.script(`p${index}`, answerOf(given))
  const answer = await world.ask(body, { path })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  const { log } = await world.books()
  const { usage_source, overruled, ...basis } = chargeBasisSchema.parse(
    JSON.parse(log?.basis ?? ''),
  )
  const charged = {
    prompt: log?.prompt_tokens,
    cached: basis.cached_tokens,
    written: basis.cache_write_tokens,
    completion: log?.completion_tokens,
    quota: log?.quota,
  }
  return { source: usage_source, isMarked: overruled !== undefined, charged }
}
