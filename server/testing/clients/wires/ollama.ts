import { z } from 'zod'
import {
  type ReceivedChat,
  bodyOf,
  COMPLETION_TOKENS,
  inTwo,
  pathOf,
  PROMPT_TOKENS,
  type Reply,
  type Wire,
} from '../received-chat.ts'

/*
 * Ollama's native chat: JSON lines, images in a separate member, and tool calls with object
 * arguments.
 */

const toolCall = z.object({
  function: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
})
const chatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(
    z.object({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: z.string(),
      images: z.array(z.string()).optional(),
      thinking: z.string().optional(),
      tool_calls: z.array(toolCall).optional(),
      tool_name: z.string().optional(),
    }),
  ),
  stream: z.boolean(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({ name: z.string(), parameters: z.unknown() }),
      }),
    )
    .optional(),
  format: z.unknown().optional(),
  think: z.union([z.boolean(), z.string()]).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
})
const embedRequest = z.object({ input: z.array(z.string()) })

const HEAD = { model: 'qwen3', created_at: '2026-01-01T00:00:00Z' }

export const ollamaWire: Wire = {
  read: (call) => {
    const path = pathOf(call)
    if (path === '/api/embed') return { embed: embedRequest.parse(bodyOf(call)).input }
    if (path !== '/api/chat') throw new Error(`nothing stands at ${path}`)
    return askedOf(chatRequest.parse(bodyOf(call)))
  },
  write: (reply, { stream }) => {
    const { text, reasoning: thought } = reply
    const thinking = thought === '' ? {} : { thinking: thought }
    const done = {
      done: true,
      done_reason: 'stop',
      prompt_eval_count: PROMPT_TOKENS,
      eval_count: COMPLETION_TOKENS,
    }
    const line = (message: object, more: object = { done: false }) =>
      `${JSON.stringify({ ...HEAD, message: { role: 'assistant', ...message }, ...more })}\n`
    const called = reply.calls.length > 0 ? { tool_calls: toolCallsOf(reply) } : {}
    if (stream !== true) return line({ content: text, ...thinking, ...called }, done)
    return [
      line({ content: '', ...thinking }),
      ...inTwo(text).map((content) => line({ content })),
      line({ content: '', ...called }),
      line({ content: '' }, done),
    ].join('')
  },
  writeVectors: (embeddings) =>
    JSON.stringify({ model: 'nomic-embed-text', embeddings, prompt_eval_count: PROMPT_TOKENS }),
}

function askedOf(request: z.output<typeof chatRequest>): ReceivedChat {
  const { messages, stream, tools = [], format, think = false } = request
  const textsOf = (...roles: string[]) =>
    messages.flatMap(({ role, content }) => (roles.includes(role) ? [content] : []))
  return {
    stream,
    texts: textsOf('system', 'user'),
    images: messages.flatMap(({ images = [] }) => images),
    tools: tools.map(({ function: { name, parameters } }) => ({ name, parameters })),
    calls: messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function)),
    results: textsOf('tool'),
    schema: format,
    reasoning: think === false ? 'none' : 'shown',
    reasoningCount: messages.filter(({ thinking }) => thinking !== undefined).length,
  }
}

const toolCallsOf = ({ calls }: Reply) =>
  calls.map(({ name, ...call }, index) => ({
    function: { index, name, arguments: call.arguments },
  }))
