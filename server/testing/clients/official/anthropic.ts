import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { member } from '@tollgate/relay'
import {
  type Client,
  type Input,
  OUTPUT_TOKENS_MOST,
  type Place,
  PNG,
  THINKING_TOKENS,
  WEATHER,
  WEATHER_SCHEMA,
} from '../client.ts'
import { SYSTEM } from '../received-chat.ts'

const MODEL = 'claude-sonnet-4-6'

const sdk = ({ url, key }: Place) => new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })

export const anthropicMessages: Client = {
  name: '`@anthropic-ai/sdk`',
  dialect: 'messages',
  open: (place, { stream, tools, schema, reasoning: thinks }) => {
    const messages: Anthropic.MessageParam[] = []
    const { name, description, parameters: input_schema } = WEATHER
    return async (input, at = place) => {
      const client = sdk(at)
      messages.push({ role: 'user', content: blocksOf(input) })
      const asked = {
        model: MODEL,
        max_tokens: OUTPUT_TOKENS_MOST,
        system: SYSTEM,
        messages,
        ...(tools && { tools: [{ name, description, input_schema }] }),
        ...(schema && {
          output_config: { format: { type: 'json_schema' as const, schema: WEATHER_SCHEMA } },
        }),
        ...(thinks && {
          thinking: { type: 'enabled' as const, budget_tokens: THINKING_TOKENS },
        }),
      }
      const { content, usage } = stream
        ? await client.messages.stream(asked).finalMessage()
        : await client.messages.create(asked)
      messages.push({ role: 'assistant', content })
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        reasoning: content
          .map((block) => (block.type === 'thinking' ? block.thinking : ''))
          .join(''),
        calls: content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ id: block.id, name: block.name, arguments: block.input }]
            : [],
        ),
        usage: { prompt: usage.input_tokens, completion: usage.output_tokens },
      }
    }
  },
  count: async (place, text) => {
    const messages = [{ role: 'user' as const, content: text }]
    const counted = await sdk(place).messages.countTokens({ model: MODEL, messages })
    return counted.input_tokens
  },
  failureOf: (error) => {
    if (!(error instanceof APIError) || typeof error.status !== 'number') return null
    const message = member(member(error.error, 'error'), 'message')
    return { status: error.status, message: typeof message === 'string' ? message : error.message }
  },
}

function blocksOf(input: Input): Anthropic.ContentBlockParam[] {
  if (input.type === 'results') {
    return input.results.map(({ id, text }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
    }))
  }
  const text = { type: 'text' as const, text: input.text }
  if (input.png === undefined) return [text]
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG }
  return [text, { type: 'image', source }]
}
