import { z } from 'zod'
import {
  type ReceivedChat,
  bodyOf,
  COMPLETION_TOKENS,
  dataEvents,
  inTwo,
  PROMPT_TOKENS,
  readJson,
  type Reply,
  type Wire,
} from '../received-chat.ts'

/* Hunyuan's native API: a header names the action. */

const schemaText = z.string().transform(readJson)
const toolCall = z.strictObject({
  Id: z.string().min(1),
  Type: z.literal('function'),
  Function: z.strictObject({ Name: z.string(), Arguments: schemaText }),
  Index: z.int(),
})
const content = z.discriminatedUnion('Type', [
  z.strictObject({ Type: z.literal('text'), Text: z.string() }),
  z.strictObject({
    Type: z.literal('image_url'),
    ImageUrl: z.strictObject({ Url: z.string() }),
  }),
])
const chatRequest = z.strictObject({
  Model: z.string(),
  Messages: z.array(
    z.strictObject({
      Role: z.enum(['system', 'user', 'assistant', 'tool']),
      Content: z.string().optional(),
      Contents: z.array(content).optional(),
      ToolCallId: z.string().optional(),
      ToolCalls: z.array(toolCall).optional(),
    }),
  ),
  Stream: z.boolean(),
  Tools: z
    .array(
      z.strictObject({
        Type: z.literal('function'),
        Function: z.strictObject({
          Name: z.string(),
          Description: z.string().optional(),
          Parameters: schemaText,
        }),
      }),
    )
    .optional(),
  ToolChoice: z.string().optional(),
  EnableThinking: z.boolean().optional(),
  Temperature: z.number().optional(),
})
const embedRequest = z.union([
  z.strictObject({ Input: z.string() }).transform(({ Input }) => [Input]),
  z.strictObject({ InputList: z.array(z.string()) }).transform(({ InputList }) => InputList),
])

const USAGE = {
  PromptTokens: PROMPT_TOKENS,
  CompletionTokens: COMPLETION_TOKENS,
  TotalTokens: PROMPT_TOKENS + COMPLETION_TOKENS,
}
const HEAD = { Created: 1_735_689_600, Id: 'c-1', Note: '', Usage: USAGE }

export const tencentWire: Wire = {
  read: (call) => {
    const action = call.headers['x-tc-action']
    if (action === 'GetEmbedding') return { embed: embedRequest.parse(bodyOf(call)) }
    if (action !== 'ChatCompletions') throw new Error(`there is no action ${String(action)}`)
    return askedOf(chatRequest.parse(bodyOf(call)))
  },
  write: (reply, { stream }) => {
    const FinishReason = reply.calls.length > 0 ? 'tool_calls' : 'stop'
    const called = reply.calls.length > 0 ? { ToolCalls: toolCallsOf(reply) } : {}
    const { reasoning: ReasoningContent, text: Content } = reply
    if (stream !== true) {
      const Message = { Role: 'assistant', Content, ReasoningContent, ...called }
      return JSON.stringify({
        Response: { ...HEAD, RequestId: 'r-1', Choices: [{ Index: 0, Message, FinishReason }] },
      })
    }
    const event = (delta: object, finish = '') => ({
      ...HEAD,
      Choices: [
        { Index: 0, Delta: { Role: 'assistant', Content: '', ...delta }, FinishReason: finish },
      ],
    })
    return dataEvents([
      ...(ReasoningContent === '' ? [] : [event({ ReasoningContent })]),
      ...inTwo(Content).map((piece) => event({ Content: piece })),
      ...(reply.calls.length > 0 ? [event(called)] : []),
      event({}, FinishReason),
    ])
  },
  writeVectors: (vectors) =>
    JSON.stringify({
      Response: {
        Data: vectors.map((Embedding, Index) => ({ Embedding, Index, Object: 'embedding' })),
        Usage: { PromptTokens: PROMPT_TOKENS, TotalTokens: PROMPT_TOKENS },
        RequestId: 'r-1',
      },
    }),
}

function askedOf(request: z.output<typeof chatRequest>): ReceivedChat {
  const { Messages, Stream, Tools = [], EnableThinking = false } = request
  const textsOf = (...roles: string[]) =>
    Messages.filter(({ Role }) => roles.includes(Role)).flatMap(({ Content, Contents = [] }) => [
      ...(Content === undefined ? [] : [Content]),
      ...Contents.flatMap((one) => (one.Type === 'text' ? [one.Text] : [])),
    ])
  return {
    stream: Stream,
    texts: textsOf('system', 'user'),
    images: Messages.flatMap(({ Contents = [] }) => Contents).flatMap((one) =>
      one.Type === 'image_url' ? [one.ImageUrl.Url.replace('data:image/png;base64,', '')] : [],
    ),
    tools: Tools.map(({ Function: { Name, Parameters } }) => ({
      name: Name,
      parameters: Parameters,
    })),
    calls: Messages.flatMap(({ ToolCalls = [] }) => ToolCalls).map(({ Function: called }) => ({
      name: called.Name,
      arguments: called.Arguments,
    })),
    results: textsOf('tool'),
    schema: undefined,
    reasoning: EnableThinking ? 'shown' : 'none',
    reasoningCount: 0,
  }
}

const toolCallsOf = ({ calls }: Reply) =>
  calls.map(({ id, name, ...call }, Index) => ({
    Id: id,
    Type: 'function',
    Function: { Name: name, Arguments: JSON.stringify(call.arguments) },
    Index,
  }))
