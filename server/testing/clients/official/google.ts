import {
  ApiError,
  type Content,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai'
import { member } from '@tollgate/relay'
import {
  type Client,
  type Input,
  type Place,
  THINKING_TOKENS,
  WEATHER,
  WEATHER_SCHEMA,
} from '../client.ts'
import { readJson, SYSTEM } from '../received-chat.ts'

const MODEL = 'gemini-2.5-flash'

const sdk = ({ url, key }: Place) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })

export const googleGenai: Client = {
  name: '`@google/genai`',
  dialect: 'gemini',
  open: (place, { stream, tools, schema, reasoning: thinks }) => {
    const contents: Content[] = []
    const { name, description, parameters: parametersJsonSchema } = WEATHER
    return async (input, at = place) => {
      const { models } = sdk(at)
      contents.push({ role: 'user', parts: partsOf(input) })
      const asked = {
        model: MODEL,
        contents,
        config: {
          systemInstruction: SYSTEM,
          ...(tools && {
            tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema }] }],
          }),
          ...(schema && {
            responseMimeType: 'application/json',
            responseJsonSchema: WEATHER_SCHEMA,
          }),
          ...(thinks && {
            thinkingConfig: { thinkingBudget: THINKING_TOKENS, includeThoughts: true },
          }),
        },
      }
      const pieces = stream
        ? await allOf(await models.generateContentStream(asked))
        : [await models.generateContent(asked)]
      const parts = pieces.flatMap((piece) => piece.candidates?.[0]?.content?.parts ?? [])
      contents.push({ role: 'model', parts })
      return answerOf(parts, pieces.at(-1)?.usageMetadata)
    }
  },
  embed: async (place, texts) => {
    const { embeddings = [] } = await sdk(place).models.embedContent({
      model: 'gemini-embedding-001',
      contents: texts,
    })
    return embeddings.map(({ values = [] }) => values)
  },
  count: async (place, text) => {
    const { totalTokens = 0 } = await sdk(place).models.countTokens({
      model: MODEL,
      contents: text,
    })
    return totalTokens
  },
  failureOf: (error) => {
    if (!(error instanceof ApiError)) return null
    const message = member(member(readJson(error.message), 'error'), 'message')
    return { status: error.status, message: typeof message === 'string' ? message : error.message }
  },
}

function answerOf(parts: Part[], usage: GenerateContentResponse['usageMetadata']) {
  const said = (isThought: boolean) =>
    parts.map(({ text = '', thought = false }) => (thought === isThought ? text : '')).join('')
  return {
    text: said(false),
    reasoning: said(true),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined
        ? []
        : [{ id: call.id ?? '', name: call.name ?? '', arguments: call.args }],
    ),
    usage: { prompt: usage?.promptTokenCount, completion: usage?.candidatesTokenCount },
  }
}

function partsOf(input: Input): Part[] {
  if (input.type === 'results') {
    return input.results.map(({ id, name, text }) => ({
      functionResponse: { id, name, response: { output: text } },
    }))
  }
  const { text, png } = input
  const image = png === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: png } }]
  return [{ text }, ...image]
}

async function allOf<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}
