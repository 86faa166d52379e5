import { z } from 'zod'
import {
  type ReceivedChat,
  bodyOf,
  COMPLETION_TOKENS,
  dataEvents,
  inTwo,
  pathOf,
  PROMPT_TOKENS,
  readJson,
  type Wire,
} from '../received-chat.ts'

/* Wenxin's first API version: one function call at a time, and calls have no ids. */

const BASE = '/rpc/2.0/ai_custom/v1/wenxinworkshop'
const functionCall = z.object({ name: z.string(), arguments: z.string().transform(readJson) })
const chatRequest = z.strictObject({
  system: z.string().optional(),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.literal('user'), content: z.string().min(1) }),
      z.strictObject({
        role: z.literal('assistant'),
        content: z.string(),
        function_call: functionCall.optional(),
      }),
      z.strictObject({
        role: z.literal('function'),
        name: z.string(),
        content: z.string().min(1),
      }),
    ]),
  ),
  functions: z
    .array(
      z.object({ name: z.string(), description: z.string().optional(), parameters: z.unknown() }),
    )
    .optional(),
  stream: z.boolean().optional(),
  max_output_tokens: z.int().min(2).optional(),
  temperature: z.number().positive().max(1).optional(),
  user_id: z.string().optional(),
})
const embedRequest = z.object({ input: z.array(z.string()) })

const USAGE = {
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: COMPLETION_TOKENS,
  total_tokens: PROMPT_TOKENS + COMPLETION_TOKENS,
}

export const baiduWire: Wire = {
  callsOne: true,
  read: (call) => {
    const path = pathOf(call)
    if (path === `${BASE}/embeddings/embedding-v1`) {
      return { embed: embedRequest.parse(bodyOf(call)).input }
    }
    if (path !== `${BASE}/chat/completions_pro`) throw new Error(`nothing stands at ${path}`)
    return askedOf(chatRequest.parse(bodyOf(call)))
  },
  write: ({ text, calls: [call] }, { stream }) => {
    const function_call = call && {
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    }
    const head = { id: 'as-x1', object: 'chat.completion', created: 1_735_689_600, usage: USAGE }
    const finish_reason = call === undefined ? 'normal' : 'function_call'
    if (stream !== true) {
      return JSON.stringify({ ...head, result: text, function_call, finish_reason })
    }
    return dataEvents([
      ...inTwo(text).map((result) => ({ ...head, is_end: false, result })),
      ...(call === undefined ? [] : [{ ...head, is_end: false, result: '', function_call }]),
      { ...head, is_end: true, result: '' },
    ])
  },
  writeVectors: (vectors) =>
    JSON.stringify({
      object: 'embedding_list',
      data: vectors.map((embedding, index) => ({ object: 'embedding', embedding, index })),
      usage: { prompt_tokens: PROMPT_TOKENS, total_tokens: PROMPT_TOKENS },
    }),
}

function askedOf(request: z.output<typeof chatRequest>): ReceivedChat {
  const { system, messages, functions = [], stream = false } = request
  return {
    stream,
    texts: [
      ...(system === undefined ? [] : [system]),
      ...messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])),
    ],
    images: [],
    tools: functions.map(({ name, parameters }) => ({ name, parameters })),
    calls: messages.flatMap((said) =>
      said.role === 'assistant' && said.function_call ? [said.function_call] : [],
    ),
    results: messages.flatMap(({ role, content }) => (role === 'function' ? [content] : [])),
    schema: undefined,
    reasoning: 'none',
    reasoningCount: 0,
  }
}
