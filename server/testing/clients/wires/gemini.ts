import { z } from 'zod'
import {
  type ReceivedChat,
  bodyOf,
  COMPLETION_TOKENS,
  dataEvents,
  inTwo,
  pathOf,
  PROMPT_TOKENS,
  type Reply,
  type Wire,
} from '../received-chat.ts'

const SIGNATURE = 'CiQB'
const args = z.record(z.string(), z.unknown())
const text = z.object({
  text: z.string(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
})
const id = z.string().optional()
const part = z.union([
  text,
  z.object({
    inlineData: z.object({ mimeType: z.literal('image/png'), data: z.string() }),
  }),
  z.object({
    functionCall: z.object({ id, name: z.string(), args }),
    thoughtSignature: z.string().optional(),
  }),
  z.object({ functionResponse: z.object({ id, name: z.string(), response: args }) }),
])
const declaration = z.object({ name: z.string(), parametersJsonSchema: z.unknown() })
const generateRequest = z.object({
  systemInstruction: z.object({ parts: z.array(text) }).optional(),
  contents: z.array(z.object({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })),
  tools: z.array(z.object({ functionDeclarations: z.array(declaration) })).optional(),
  generationConfig: z.object({
    responseMimeType: z.literal('application/json').optional(),
    responseJsonSchema: z.unknown().optional(),
    thinkingConfig: z
      .object({
        thinkingBudget: z.int().optional(),
        thinkingLevel: z.string().optional(),
        includeThoughts: z.boolean().optional(),
      })
      .optional(),
  }),
})
const embedRequest = z.object({
  requests: z.array(z.object({ content: z.object({ parts: z.array(text) }) })),
})

export const geminiWire: Wire = {
  read: (call) => {
    const method = /^\/v1beta\/models\/[\w.-]+:(\w+)$/.exec(pathOf(call))?.[1]
    if (method === 'batchEmbedContents') {
      const { requests } = embedRequest.parse(bodyOf(call))
      return { embed: requests.flatMap(({ content }) => content.parts.map((one) => one.text)) }
    }
    const stream = method === 'streamGenerateContent'
    if (!stream && method !== 'generateContent') throw new Error(`nothing stands at ${call.path}`)
    if (stream && !call.path.endsWith('?alt=sse')) throw new Error('the stream is one array')
    return { ...askedOf(generateRequest.parse(bodyOf(call))), stream }
  },
  write: (reply, { stream }) => {
    const parts = partsOf(reply)
    if (stream !== true) return JSON.stringify(answerOf(parts, 'STOP'))
    const texts = inTwo(reply.text).map((piece) => ({ text: piece }))
    const others = parts.filter((one) => !('text' in one) || 'thought' in one)
    const pieces = [...others, ...texts].map((one) => answerOf([one]))
    return dataEvents([...pieces, answerOf([{ text: '' }], 'STOP')])
  },
  writeVectors: (vectors) => JSON.stringify({ embeddings: vectors.map((values) => ({ values })) }),
}

function askedOf(request: z.output<typeof generateRequest>): Omit<ReceivedChat, 'stream'> {
  const { systemInstruction, contents, tools = [], generationConfig } = request
  const { responseMimeType, responseJsonSchema, thinkingConfig } = generationConfig
  if ((responseMimeType === undefined) !== (responseJsonSchema === undefined)) {
    throw new Error('a schema goes with the type of JSON')
  }
  const parts = contents.flatMap((content) => content.parts)
  const said = contents.flatMap(({ role, parts: own }) => (role === 'user' ? own : []))
  return {
    texts: [...(systemInstruction?.parts ?? []), ...said].flatMap((one) =>
      'text' in one ? [one.text] : [],
    ),
    images: parts.flatMap((one) => ('inlineData' in one ? [one.inlineData.data] : [])),
    tools: tools
      .flatMap(({ functionDeclarations }) => functionDeclarations)
      .map(({ name, parametersJsonSchema: parameters }) => ({ name, parameters })),
    calls: parts.flatMap((one) =>
      'functionCall' in one
        ? [{ name: one.functionCall.name, arguments: one.functionCall.args }]
        : [],
    ),
    results: parts.flatMap((one) =>
      'functionResponse' in one ? [JSON.stringify(one.functionResponse.response)] : [],
    ),
    schema: responseJsonSchema,
    reasoningCount: parts.filter((one) => 'thoughtSignature' in one).length,
    reasoning: thinkingConfig?.includeThoughts === true ? 'shown' : 'none',
  }
}

/** Only the first of several parallel calls is signed. */
const partsOf = ({ reasoning: thought, text: said, calls }: Reply): object[] => [
  ...(thought === '' ? [] : [{ text: thought, thought: true }]),
  ...(said === '' ? [] : [{ text: said }]),
  ...calls.map(({ name, ...call }, index) => ({
    functionCall: { name, args: call.arguments },
    ...(index === 0 ? { thoughtSignature: SIGNATURE } : {}),
  })),
]

const answerOf = (parts: object[], finishReason?: string) => ({
  candidates: [
    { content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) },
  ],
  usageMetadata: {
    promptTokenCount: PROMPT_TOKENS,
    candidatesTokenCount: COMPLETION_TOKENS,
    totalTokenCount: PROMPT_TOKENS + COMPLETION_TOKENS,
  },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
})
