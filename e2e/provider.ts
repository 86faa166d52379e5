import { z } from 'zod'
import {
  answerJson,
  answerStream,
  type Behaviour,
  DONE,
} from '../server/testing/fakes/scripted-upstream.ts'

export type ReportedUsage = {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
}

export function usageOf(prompt: number, cached: number, completion: number): ReportedUsage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  }
}

export const WEATHER_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Basel"}' },
} as const

const question = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.unknown()).default([]),
})

/**
 * A healthy provider: chat as JSON or as a stream, a tool call if tools are offered, and
 * embeddings.
 */
export const healthyProvider =
  (usage: ReportedUsage): Behaviour =>
  (response, request) => {
    const { model, stream, tools } = question.parse(JSON.parse(request.body.toString()))
    const answer = request.path.endsWith('/embeddings')
      ? answerEmbeddings(model, usage.prompt_tokens)
      : stream
        ? answerWords(model, usage)
        : answerWhole(model, tools.length > 0, usage)
    return answer(response, request)
  }

function answerWhole(model: string, callsTool: boolean, usage: ReportedUsage): Behaviour {
  const message = callsTool
    ? { role: 'assistant', content: null, tool_calls: [WEATHER_CALL] }
    : { role: 'assistant', content: 'Hello there' }
  const finish_reason = callsTool ? 'tool_calls' : 'stop'
  return answerJson({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [{ index: 0, message, finish_reason }],
    usage,
  })
}

function answerWords(model: string, usage: ReportedUsage): Behaviour {
  const event = (choices: object[], rest: object = {}) => {
    const json = { id: 'chatcmpl-1', object: 'chat.completion.chunk', model, choices, ...rest }
    return `data: ${JSON.stringify({ created: 1_760_000_000, ...json })}\n\n`
  }
  const delta = (content: string) => event([{ index: 0, delta: { content }, finish_reason: null }])
  return answerStream([
    delta('Hello'),
    delta(' there'),
    event([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    event([], { usage }),
    DONE,
  ])
}

const answerEmbeddings = (model: string, promptTokens: number) =>
  answerJson({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 0.125] }],
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  })
