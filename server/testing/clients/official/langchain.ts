import {
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { member } from '@tollgate/relay'
import { type Client, type Input, type Place, PNG_URL, WEATHER, WEATHER_SCHEMA } from '../client.ts'
import { SYSTEM } from '../received-chat.ts'
import { failureOfOpenai } from './openai.ts'

const shared = ({ url, key }: Place) => ({
  apiKey: key,
  maxRetries: 0,
  configuration: { baseURL: `${url}/v1` },
})

export const langchain: Client = {
  name: '`@langchain/openai`',
  dialect: 'chat',
  open: (place, { stream, tools, schema, reasoning: thinks }) => {
    const modelAt = (at: Place) =>
      new ChatOpenAI({
        ...shared(at),
        model: 'gpt-5-mini',
        streaming: stream,
        ...(thinks && { reasoning: { effort: 'low' } }),
      }).withConfig({
        ...(tools && { tools: [{ type: 'function', function: WEATHER }] }),
        ...(schema && {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'weather', strict: true, schema: WEATHER_SCHEMA },
          },
        }),
      })
    const messages: BaseMessage[] = [new SystemMessage(SYSTEM)]
    return async (input, at = place) => {
      const asked = modelAt(at)
      messages.push(...messagesOf(input))
      const said = stream
        ? await joined(await asked.stream(messages))
        : await asked.invoke(messages)
      messages.push(said)
      return {
        text: said.text,
        reasoning: '',
        calls: (said.tool_calls ?? []).map(({ id = '', name, args }) => ({
          id,
          name,
          arguments: args,
        })),
        usage: {
          prompt: countOf(said.usage_metadata, 'input_tokens'),
          completion: countOf(said.usage_metadata, 'output_tokens'),
        },
      }
    }
  },
  embed: (place, texts) =>
    new OpenAIEmbeddings({ ...shared(place), model: 'text-embedding-3-small' }).embedDocuments(
      texts,
    ),
  failureOf: failureOfOpenai,
  hidesReasoning: true,
}

function messagesOf(input: Input): BaseMessage[] {
  if (input.type === 'results') {
    return input.results.map(
      ({ id, name, text }) => new ToolMessage({ tool_call_id: id, name, content: text }),
    )
  }
  const image = { type: 'image_url', image_url: { url: PNG_URL } }
  const content = [{ type: 'text', text: input.text }, ...(input.png === undefined ? [] : [image])]
  return [new HumanMessage({ content })]
}

function countOf(usage: unknown, name: string): number | undefined {
  const count = member(usage, name)
  return typeof count === 'number' ? count : undefined
}

async function joined(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | null = null
  for await (const piece of stream) whole = whole === null ? piece : whole.concat(piece)
  return whole ?? new AIMessageChunk('')
}
