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
  type Reply,
  type Wire,
} from '../received-chat.ts'

/* DashScope: multimodal requests have their own endpoint, which answers in content parts. */

const TEXT = '/api/v1/services/aigc/text-generation/generation'
const MULTIMODAL = '/api/v1/services/aigc/multimodal-generation/generation'
const EMBEDDINGS = '/api/v1/services/embeddings/text-embedding/text-embedding'

const part = z.union([z.strictObject({ text: z.string() }), z.strictObject({ image: z.string() })])
const parts = z.union([z.string().transform((text) => [{ text }]), z.array(part)])
const toolCall = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string().transform(readJson) }),
})
const chatRequest = z.object({
  model: z.string(),
  input: z.object({
    messages: z.array(
      z.object({
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        content: parts,
        reasoning_content: z.string().optional(),
        tool_calls: z.array(toolCall).optional(),
      }),
    ),
  }),
  parameters: z.object({
    result_format: z.literal('message'),
    incremental_output: z.literal(true).optional(),
    tools: z
      .array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) }))
      .optional(),
    response_format: z.object({ json_schema: z.object({ schema: z.unknown() }) }).optional(),
    enable_thinking: z.boolean().optional(),
  }),
})
const embedRequest = z.object({ input: z.object({ texts: z.array(z.string()) }) })

export const aliWire: Wire = {
  read: (call) => {
    const path = pathOf(call)
    if (path === EMBEDDINGS) return { embed: embedRequest.parse(bodyOf(call)).input.texts }
    if (path !== TEXT && path !== MULTIMODAL) throw new Error(`nothing stands at ${path}`)
    const request = chatRequest.parse(bodyOf(call))
    const asked = askedOf(request)
    if (asked.images.length > 0 !== (path === MULTIMODAL)) throw new Error('the wrong address')
    const stream = call.headers['x-dashscope-sse'] === 'enable'
    const inPieces = request.parameters.incremental_output === true
    if (stream !== inPieces) throw new Error('a stream is asked for in two places')
    return { ...asked, stream }
  },
  write: (reply, { stream, images }) => {
    const said = (text: string) => (images.length > 0 ? [{ text }] : text)
    const { reasoning: reasoning_content, text } = reply
    const tool_calls = toolCallsOf(reply)
    const finish = tool_calls.length > 0 ? 'tool_calls' : 'stop'
    const called = tool_calls.length > 0 ? { tool_calls } : {}
    if (stream !== true) {
      return JSON.stringify(answerOf({ content: said(text), reasoning_content, ...called }, finish))
    }
    return dataEvents([
      ...(reasoning_content === '' ? [] : [answerOf({ content: said(''), reasoning_content })]),
      ...inTwo(text).map((piece) => answerOf({ content: said(piece) })),
      answerOf({ content: said(''), ...called }, finish),
    ])
  },
  writeVectors: (vectors) =>
    JSON.stringify({
      output: {
        embeddings: vectors
          .map((embedding, text_index) => ({ embedding, text_index }))
          .toReversed(),
      },
      usage: { total_tokens: PROMPT_TOKENS },
      request_id: 'r-1',
    }),
}

function askedOf({ input, parameters }: z.output<typeof chatRequest>): ReceivedChat {
  const { tools = [], response_format: format, enable_thinking: thinks = false } = parameters
  const all = input.messages.flatMap(({ role, content }) =>
    content.map((one) => ({ role, ...one })),
  )
  const textsOf = (...roles: string[]) =>
    all.flatMap((one) => (roles.includes(one.role) && 'text' in one ? [one.text] : []))
  return {
    stream: false,
    texts: textsOf('system', 'user'),
    images: all.flatMap((one) =>
      'image' in one ? [one.image.replace('data:image/png;base64,', '')] : [],
    ),
    tools: tools.map((tool) => ({
      name: tool.function.name,
      parameters: tool.function.parameters,
    })),
    calls: input.messages.flatMap(({ tool_calls: calls = [] }) =>
      calls.map((call) => call.function),
    ),
    results: textsOf('tool'),
    schema: format?.json_schema.schema,
    reasoning: thinks ? 'shown' : 'none',
    reasoningCount: input.messages.filter((one) => one.reasoning_content !== undefined).length,
  }
}

const toolCallsOf = ({ calls }: Reply) =>
  calls.map(({ id, name, ...call }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(call.arguments) },
  }))

const answerOf = (message: object, finish_reason = 'null') => ({
  output: { choices: [{ finish_reason, message: { role: 'assistant', ...message } }] },
  usage: {
    input_tokens: PROMPT_TOKENS,
    output_tokens: COMPLETION_TOKENS,
    total_tokens: PROMPT_TOKENS + COMPLETION_TOKENS,
  },
  request_id: 'r-1',
})
