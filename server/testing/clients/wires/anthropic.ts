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

const text = z.object({ type: z.literal('text'), text: z.string() })
const block = z.discriminatedUnion('type', [
  text,
  z.object({
    type: z.literal('image'),
    source: z.object({
      type: z.literal('base64'),
      media_type: z.literal('image/png'),
      data: z.string(),
    }),
  }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string().min(1),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string().min(1),
    content: z.union([z.string(), z.array(text)]),
  }),
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
])
/** A string is shorthand for one text block. */
const alone = z.string().transform((said) => [{ type: 'text' as const, text: said }])
const messagesRequest = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  stream: z.boolean().optional(),
  system: z.union([alone, z.array(text)]).optional(),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.union([alone, z.array(block)]),
    }),
  ),
  tools: z
    .array(
      z.object({ name: z.string(), input_schema: z.object({ type: z.literal('object') }).loose() }),
    )
    .optional(),
  thinking: z.object({ type: z.string() }).optional(),
  output_config: z
    .object({ format: z.object({ type: z.literal('json_schema'), schema: z.unknown() }) })
    .partial()
    .optional(),
})

export const anthropicWire: Wire = {
  read: (call) => {
    if (pathOf(call) !== '/v1/messages') throw new Error(`nothing stands at ${call.path}`)
    return askedOf(messagesRequest.parse(bodyOf(call)))
  },
  write: (reply, { stream }) => {
    if (stream !== true) {
      return JSON.stringify(messageOf(blocksOf(reply), stopOf(reply), COMPLETION_TOKENS))
    }
    return eventsOf(reply)
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('')
  },
}

function askedOf(request: z.output<typeof messagesRequest>): ReceivedChat {
  const { stream = false, system = [], messages, tools = [], thinking } = request
  const asked: ReceivedChat = {
    stream,
    texts: system.map((part) => part.text),
    images: [],
    tools: tools.map(({ name, input_schema }) => ({ name, parameters: input_schema })),
    calls: [],
    results: [],
    schema: request.output_config?.format?.schema,
    reasoning: thinking === undefined || thinking.type === 'disabled' ? 'none' : 'shown',
    reasoningCount: 0,
  }
  for (const { role, content } of messages) {
    for (const part of content) {
      if (part.type === 'thinking') asked.reasoningCount += 1
      if (part.type === 'image') asked.images.push(part.source.data)
      if (part.type === 'tool_use') asked.calls.push({ name: part.name, arguments: part.input })
      if (part.type === 'tool_result') asked.results.push(JSON.stringify(part.content))
      if (part.type === 'text' && role === 'user') asked.texts.push(part.text)
    }
  }
  return asked
}

const stopOf = ({ calls }: Reply) => (calls.length > 0 ? 'tool_use' : 'end_turn')

const messageOf = (content: object[], stop_reason: string | null, output_tokens: number) => ({
  id: 'msg_01A',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: PROMPT_TOKENS, output_tokens },
})

const blocksOf = ({ reasoning: thought, text: said, calls }: Reply) => [
  ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought, signature: 'EpQB' }]),
  ...(said === '' ? [] : [{ type: 'text', text: said }]),
  ...calls.map(({ id, name, ...call }) => ({ type: 'tool_use', id, name, input: call.arguments })),
]

type Event = { type: string } & Record<string, unknown>

function eventsOf(reply: Reply): Event[] {
  const { reasoning: thought, text: said, calls } = reply
  const blocks: [object, object[]][] = [
    ...pieces(thought, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: thought },
      { type: 'signature_delta', signature: 'EpQB' },
    ]),
    ...pieces(
      said,
      { type: 'text', text: '' },
      inTwo(said).map((piece) => ({ type: 'text_delta', text: piece })),
    ),
    ...calls.flatMap(({ id, name, ...call }) =>
      pieces(
        name,
        { type: 'tool_use', id, name, input: {} },
        inTwo(JSON.stringify(call.arguments)).map((piece) => ({
          type: 'input_json_delta',
          partial_json: piece,
        })),
      ),
    ),
  ]
  return [
    { type: 'message_start', message: messageOf([], null, 1) },
    ...blocks.flatMap(([content_block, deltas], index) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(reply), stop_sequence: null },
      usage: { output_tokens: COMPLETION_TOKENS },
    },
    { type: 'message_stop' },
  ]
}

/** A block with its start event and its deltas; empty without a text. */
const pieces = (said: string, start: object, deltas: object[]): [object, object[]][] =>
  said === '' ? [] : [[start, deltas]]
