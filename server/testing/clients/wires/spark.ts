import { z } from 'zod'
import {
  type ReceivedChat,
  bodyOf,
  type Call,
  COMPLETION_TOKENS,
  inTwo,
  pathOf,
  PROMPT_TOKENS,
  readJson,
  type Wire,
} from '../received-chat.ts'

/* Spark Max: one question per WebSocket, and at most one function call per answer. */

const chatRequest = z.strictObject({
  header: z.strictObject({ app_id: z.string() }),
  parameter: z.strictObject({
    chat: z.object({ domain: z.literal('generalv3.5'), auditing: z.string() }),
  }),
  payload: z.strictObject({
    message: z.strictObject({
      text: z.array(
        z.strictObject({
          role: z.enum(['system', 'user', 'assistant', 'tool']),
          content: z.string(),
        }),
      ),
    }),
    functions: z
      .strictObject({
        text: z.array(
          z.strictObject({
            name: z.string().regex(/^\w{1,20}$/),
            description: z.string().optional(),
            parameters: z.unknown(),
          }),
        ),
      })
      .optional(),
  }),
})
const pastCall = z.object({
  function_call: z.object({ name: z.string(), arguments: z.string().transform(readJson) }),
})

export const sparkWire: Wire = {
  callsOne: true,
  read: (call) => {
    if (pathOf(call) !== '/v3.5/chat') throw new Error(`nothing stands at ${call.path}`)
    return askedOf(chatRequest.parse(bodyOf(call)))
  },
  write: ({ text, calls: [call] }) => {
    const function_call = call && {
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    }
    const words = inTwo(text).map((content, index) => frame(index === 0 ? 0 : 1, { content }))
    return [...words, frame(2, { content: '', ...(call && { function_call }) })]
      .map((one) => JSON.stringify(one))
      .join('\n')
  },
}

const frame = (status: 0 | 1 | 2, said: object) => ({
  header: { code: 0, message: 'Success', sid: 'cht000a@dx1', status },
  payload: {
    choices: { status, seq: status, text: [{ role: 'assistant', index: 0, ...said }] },
    ...(status === 2 && {
      usage: {
        text: {
          question_tokens: 4,
          prompt_tokens: PROMPT_TOKENS,
          completion_tokens: COMPLETION_TOKENS,
          total_tokens: PROMPT_TOKENS + COMPLETION_TOKENS,
        },
      },
    }),
  },
})

function askedOf({ payload }: z.output<typeof chatRequest>): ReceivedChat {
  const { message, functions } = payload
  const textsOf = (...roles: string[]) =>
    message.text.flatMap(({ role, content }) => (roles.includes(role) ? [content] : []))
  return {
    stream: null,
    texts: textsOf('system', 'user'),
    images: [],
    tools: (functions?.text ?? []).map(({ name, parameters }) => ({ name, parameters })),
    calls: textsOf('assistant').flatMap(callsIn),
    results: textsOf('tool'),
    schema: undefined,
    reasoning: 'none',
    reasoningCount: 0,
  }
}

/** Earlier calls stand in the text, in the JSON form in which the model makes them. */
const callsIn = (text: string): Call[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"function_call"'))
    .map((line) => pastCall.parse(readJson(line)).function_call)
