import { z } from 'zod'
import {
  type ReceivedChat,
  bodyOf,
  COMPLETION_TOKENS,
  dataEvents,
  inTwo,
  PROMPT_TOKENS,
  pathOf,
  readJson,
  type Reply,
  type Wire,
} from '../received-chat.ts'

/* OpenAI's wire format and its variants at other providers. */

const content = z.union([
  z.string().transform((text) => [{ type: 'text' as const, text }]),
  z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
    ]),
  ),
])
const toolCall = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string().transform(readJson) }),
})
const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer', 'user']), content }),
  z.object({
    role: z.literal('assistant'),
    content: content.nullish(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(toolCall).optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
])
const chatRequest = z.object({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({ name: z.string(), parameters: z.unknown() }),
      }),
    )
    .optional(),
  response_format: z
    .object({
      type: z.string(),
      json_schema: z.object({ schema: z.unknown() }).optional(),
    })
    .optional(),
  reasoning_effort: z.string().optional(),
  thinking: z.object({ type: z.string() }).optional(),
})
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())])

const HEAD = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'model-1' }
const USAGE = {
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: COMPLETION_TOKENS,
  total_tokens: PROMPT_TOKENS + COMPLETION_TOKENS,
}
const DATA_URL = /^data:image\/png;base64,/

type Variant = {
  /** Paths of chats and of embeddings. */
  paths: [RegExp, RegExp]
  /** Where a stream reports its usage: in a separate event on request, or with the last choice. */
  usage?: 'on-request' | 'last'
  /** Input images come as bare base64, without the data URL prefix. */
  bareImages?: true
  /** The model does not show its reasoning. */
  hidesReasoning?: true
  /** The model reasons unless a request forbids it. */
  reasonsByDefault?: true
  /** The complete answer follows the last chunk of a stream. */
  repeats?: true
  /** The member that holds the texts to embed. */
  embeds?: 'input' | 'texts'
  extraMembers?: object
}

export function openaiWire(variant: Variant): Wire {
  const { paths, usage = 'on-request', embeds = 'input', extraMembers = {} } = variant
  return {
    read: (call) => {
      const path = pathOf(call)
      if (paths[1].test(path)) {
        return { embed: z.object({ [embeds]: texts }).parse(bodyOf(call))[embeds] ?? [] }
      }
      if (!paths[0].test(path)) throw new Error(`nothing stands at ${path}`)
      return askedOf(chatRequest.parse(bodyOf(call)), variant)
    },
    write: (reply, { stream }) => {
      const whole = { ...wholeAnswer(reply), ...extraMembers }
      if (stream !== true) return JSON.stringify(whole)
      const last = variant.repeats ? [whole] : []
      return `${dataEvents([...chunksOf(reply, usage), ...last])}data: [DONE]\n\n`
    },
    writeVectors: (vectors) =>
      JSON.stringify({
        object: 'list',
        model: 'model-1',
        ...(embeds === 'texts' ? { vectors, total_tokens: PROMPT_TOKENS } : {}),
        data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
        usage: { prompt_tokens: PROMPT_TOKENS, total_tokens: PROMPT_TOKENS },
        ...extraMembers,
      }),
  }
}

function askedOf(request: z.output<typeof chatRequest>, variant: Variant): ReceivedChat {
  const { messages, stream = false, tools = [], response_format: format } = request
  const isTold = variant.usage === 'last' || request.stream_options?.include_usage === true
  if (stream && !isTold) throw new Error('nobody asks for the usage of the stream')
  const asked: ReceivedChat = {
    stream,
    texts: [],
    images: [],
    tools: tools.map(({ function: { name, parameters } }) => ({ name, parameters })),
    calls: [],
    results: [],
    schema: format?.type === 'json_schema' ? format.json_schema?.schema : undefined,
    reasoning: reasons(request, variant),
    reasoningCount: 0,
  }
  for (const said of messages) {
    if (said.role === 'assistant') {
      if (said.reasoning_content !== undefined) asked.reasoningCount += 1
      asked.calls.push(...(said.tool_calls ?? []).map((call) => call.function))
      continue
    }
    for (const part of said.content) {
      if (part.type === 'image_url') asked.images.push(imageOf(part.image_url.url, variant))
      else if (said.role === 'tool') asked.results.push(part.text)
      else asked.texts.push(part.text)
    }
  }
  return asked
}

function reasons(request: z.output<typeof chatRequest>, variant: Variant) {
  if (variant.hidesReasoning) return request.reasoning_effort === undefined ? 'none' : 'hidden'
  const { reasoning_effort: effort, thinking } = request
  if (effort === 'none' || thinking?.type === 'disabled') return 'none'
  const isOn = effort !== undefined || thinking !== undefined || variant.reasonsByDefault
  return isOn ? 'shown' : 'none'
}

function imageOf(url: string, { bareImages }: Variant): string {
  if (DATA_URL.test(url) === (bareImages === true)) throw new Error('an image has the wrong form')
  return url.replace(DATA_URL, '')
}

const callsOf = ({ calls }: Reply) =>
  calls.map(({ id, name, ...call }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(call.arguments) },
  }))

const finishOf = ({ calls }: Reply) => (calls.length > 0 ? 'tool_calls' : 'stop')

const wholeAnswer = (reply: Reply) => ({
  ...HEAD,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      finish_reason: finishOf(reply),
      message: {
        role: 'assistant',
        content: reply.calls.length > 0 ? null : reply.text,
        ...(reply.reasoning === '' ? {} : { reasoning_content: reply.reasoning }),
        ...(reply.calls.length === 0 ? {} : { tool_calls: callsOf(reply) }),
      },
    },
  ],
  usage: USAGE,
})

/** A call starts with its name; its arguments follow in pieces. */
function chunksOf(reply: Reply, usage: 'on-request' | 'last'): object[] {
  const object = 'chat.completion.chunk'
  const of = (delta: object, more: object = { finish_reason: null }) => ({
    ...HEAD,
    object,
    choices: [{ index: 0, delta, ...more }],
  })
  const calls = callsOf(reply).flatMap(({ function: named, ...call }, index) => [
    of({ tool_calls: [{ index, ...call, function: { name: named.name, arguments: '' } }] }),
    ...inTwo(named.arguments).map((piece) =>
      of({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  const last = of({}, { finish_reason: finishOf(reply) })
  return [
    of({ role: 'assistant', content: '' }),
    ...(reply.reasoning === '' ? [] : [of({ reasoning_content: reply.reasoning })]),
    ...inTwo(reply.text).map((piece) => of({ content: piece })),
    ...calls,
    ...(usage === 'last'
      ? [{ ...last, usage: USAGE }]
      : [last, { ...HEAD, object, choices: [], usage: USAGE }]),
  ]
}
