import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import {
  APICallError,
  type EmbeddingModel,
  embedMany,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  type ToolSet,
} from 'ai'
import {
  type Client,
  type Dialect,
  type Failure,
  type Input,
  OUTPUT_TOKENS_MOST,
  type Place,
  THINKING_TOKENS,
  WEATHER,
  WEATHER_SCHEMA,
} from '../client.ts'
import { SYSTEM } from '../received-chat.ts'

/* The AI SDK with its packages for three providers. */

type Provider = {
  name: string
  dialect: Dialect
  model: (place: Place) => LanguageModel
  embeddingModel?: (place: Place) => EmbeddingModel
  thinking: NonNullable<Parameters<typeof generateText>[0]['providerOptions']>
}

const openai = ({ url, key }: Place) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key })
const google = ({ url, key }: Place) => createGoogle({ baseURL: `${url}/v1beta`, apiKey: key })
const anthropic = ({ url, key }: Place) => createAnthropic({ baseURL: `${url}/v1`, apiKey: key })

const WEATHER_TOOLS: ToolSet = {
  weather: { description: WEATHER.description, inputSchema: jsonSchema(WEATHER.parameters) },
}

/**
 * Silences the SDK's warnings about dropped parameters; the matrix detects them at the provider.
 */
globalThis.AI_SDK_LOG_WARNINGS = false

function clientOf({ name, dialect, model, embeddingModel, thinking }: Provider): Client {
  return {
    name,
    dialect,
    open: (place, { stream, tools, schema, reasoning: thinks }) => {
      const messages: ModelMessage[] = []
      return async (input, at = place) => {
        messages.push(messageOf(input))
        const asked = {
          model: model(at),
          instructions: SYSTEM,
          messages,
          maxRetries: 0,
          maxOutputTokens: OUTPUT_TOKENS_MOST,
          ...(tools && { tools: WEATHER_TOOLS }),
          ...(schema && { output: Output.object({ schema: jsonSchema(WEATHER_SCHEMA) }) }),
          ...(thinks && { providerOptions: thinking }),
        }
        const said = stream ? await streamed(asked) : await generateText(asked)
        messages.push(...said.responseMessages)
        return {
          text: said.text,
          reasoning: said.finalStep.reasoningText ?? '',
          calls: said.toolCalls.map(({ toolCallId: id, toolName, ...call }) => {
            const input: unknown = call.input
            return { id, name: toolName, arguments: input }
          }),
          usage: { prompt: said.usage.inputTokens, completion: said.usage.outputTokens },
        }
      }
    },
    ...(embeddingModel && {
      embed: async (place: Place, values: string[]) => {
        const asked = { model: embeddingModel(place), values, maxRetries: 0 }
        return (await embedMany(asked)).embeddings
      },
    }),
    failureOf: failureOfAiSdk,
    ...(name.includes('chat') && { hidesReasoning: true as const }),
  }
}

export const failureOfAiSdk = (error: unknown): Failure | null =>
  APICallError.isInstance(error) && error.statusCode !== undefined
    ? { status: error.statusCode, message: error.message }
    : null

/**
 * A stream reports its error through `onError`; the result promises only say that there is no
 * output.
 */
async function streamed(asked: Parameters<typeof streamText>[0]) {
  let failure: unknown = null
  const result = streamText({
    ...asked,
    onError: ({ error }) => {
      failure = error
    },
  })
  try {
    return {
      text: await result.text,
      finalStep: await result.finalStep,
      toolCalls: await result.toolCalls,
      usage: await result.usage,
      responseMessages: await result.responseMessages,
    }
  } catch (error) {
    throw failure ?? error
  }
}

function messageOf(input: Input): ModelMessage {
  if (input.type === 'results') {
    const content = input.results.map(({ id, name, text }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: { type: 'text' as const, value: text },
    }))
    return { role: 'tool', content }
  }
  const { text, png } = input
  const image =
    png === undefined ? [] : [{ type: 'file' as const, data: png, mediaType: 'image/png' }]
  return { role: 'user', content: [{ type: 'text', text }, ...image] }
}

const OPENAI_THINKING = {
  openai: { reasoningEffort: 'low', reasoningSummary: 'auto', store: false },
}

export const AI_SDK: readonly Client[] = [
  clientOf({
    name: '`@ai-sdk/openai`, chat',
    dialect: 'chat',
    model: (place) => openai(place).chat('gpt-5-mini'),
    embeddingModel: (place) => openai(place).embeddingModel('text-embedding-3-small'),
    thinking: { openai: { reasoningEffort: 'low' } },
  }),
  clientOf({
    name: '`@ai-sdk/openai`, responses',
    dialect: 'responses',
    model: (place) => openai(place).responses('gpt-5-mini'),
    thinking: OPENAI_THINKING,
  }),
  clientOf({
    name: '`@ai-sdk/anthropic`',
    dialect: 'messages',
    model: (place) => anthropic(place)('claude-sonnet-4-6'),
    thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: THINKING_TOKENS } } },
  }),
  clientOf({
    name: '`@ai-sdk/google`',
    dialect: 'gemini',
    model: (place) => google(place)('gemini-2.5-flash'),
    embeddingModel: (place) => google(place).embeddingModel('gemini-embedding-001'),
    thinking: {
      google: { thinkingConfig: { thinkingBudget: THINKING_TOKENS, includeThoughts: true } },
    },
  }),
]
