import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { portOf } from '../harness/port-of.ts'

export type Usage = { prompt_tokens: number; completion_tokens: number }

const EVENTS_MAX = 8
const PAUSE_MS_MAX = 12
const PROMPT_TOKENS_MAX = 20
const COMPLETION_TOKENS_MAX = 400
/** Beyond what a hold of 256 tokens covers for a model that may hide 300 tokens a second. */
const REASONING_MS = { min: 500, max: 900 }
/** Slower than the gateway has to assume. */
const REASONING_TOKENS_PER_MS = 0.1
const REASONING_MODEL = 'gpt-5.1'

export const CHAOS_MODELS = ['gpt-4o-mini', REASONING_MODEL] as const

const askedSchema = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  max_tokens: z.int().default(COMPLETION_TOKENS_MAX),
  max_completion_tokens: z.int().default(COMPLETION_TOKENS_MAX),
})

const below = (most: number) => Math.floor(Math.random() * most)

/**
 * A provider that answers every request after a random delay, as JSON or as a stream. Each answer
 * has its own usage. A model reasons first, without showing it.
 */
export async function startPatientUpstream(): Promise<{ baseUrl: string; close: () => void }> {
  const server = createServer((request, response) => {
    buffer(request)
      .then((body) => answer(response, askedSchema.parse(JSON.parse(body.toString()))))
      .catch(() => request.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${portOf(server)}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type ChatRequest = z.output<typeof askedSchema>

async function answer(
  response: ServerResponse,
  { model, stream: isStream, max_tokens, max_completion_tokens }: ChatRequest,
) {
  const limit = Math.min(max_tokens, max_completion_tokens)
  const usage: Usage = {
    prompt_tokens: 1 + below(PROMPT_TOKENS_MAX),
    completion_tokens: 1 + below(Math.min(limit, COMPLETION_TOKENS_MAX)),
  }
  await pause(below(PAUSE_MS_MAX))
  if (model === REASONING_MODEL) {
    const reasoningMs = REASONING_MS.min + below(REASONING_MS.max - REASONING_MS.min)
    const hidden = Math.floor(reasoningMs * REASONING_TOKENS_PER_MS)
    usage.completion_tokens = Math.min(limit, 1 + below(hidden))
    await pause(reasoningMs)
    if (isStream) return stream(response, usage, 1)
  }
  if (isStream) return stream(response, usage)
  const message = { role: 'assistant', content: 'Hello there' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...HEAD, object: 'chat.completion', choices, usage }))
}

const HEAD = { id: 'chatcmpl-1', created: 1, model: 'gpt-4o-mini' }

async function stream(response: ServerResponse, usage: Usage, words = usage.completion_tokens) {
  const event = (choices: object[], more: object = {}) =>
    `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...more })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  // One word is one token, so the tokens counted in the stream equal the reported usage.
  let left = words
  for (let events = 1 + below(EVENTS_MAX); events > 0; events--) {
    const count = Math.ceil(left / events)
    left -= count
    const delta = { content: 'word '.repeat(count) }
    response.write(event([{ index: 0, delta, finish_reason: null }]))
    await pause(below(PAUSE_MS_MAX))
  }
  response.write(event([{ index: 0, delta: {}, finish_reason: 'stop' }]))
  response.end(`${event([], { usage })}data: [DONE]\n\n`)
}
