import OpenAI, { APIError } from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { member } from '@tollgate/relay'
import {
  type Client,
  type Failure,
  type Input,
  type Place,
  PNG_URL,
  WEATHER,
  WEATHER_SCHEMA,
} from '../client.ts'
import { readJson, SYSTEM } from '../received-chat.ts'

const MODEL = 'gpt-5-mini'

const sdk = ({ url, key }: Place) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

export function failureOfOpenai(error: unknown): Failure | null {
  if (!(error instanceof APIError)) return null
  const status: unknown = error.status
  const message = member(error.error, 'message')
  if (typeof status !== 'number') return null
  return { status, message: typeof message === 'string' ? message : error.message }
}

const failureOf = failureOfOpenai

const chat: Client['open'] = (place, { stream, tools, schema, reasoning: thinks }) => {
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: SYSTEM }]
  return async (input, at = place) => {
    const { completions } = sdk(at).chat
    messages.push(...messagesOf(input))
    const asked = {
      model: MODEL,
      messages,
      ...(tools && { tools: [{ type: 'function' as const, function: WEATHER }] }),
      ...(schema && {
        response_format: {
          type: 'json_schema' as const,
          json_schema: { name: 'weather', strict: true, schema: WEATHER_SCHEMA },
        },
      }),
      ...(thinks && { reasoning_effort: 'low' as const }),
    }
    const options = { stream_options: { include_usage: true } }
    const completion = stream
      ? await completions.stream({ ...asked, ...options }).finalChatCompletion()
      : await completions.create(asked)
    const message = completion.choices[0]?.message
    if (message === undefined) throw new Error('an answer without a choice')
    messages.push(message)
    const thought = member(message, 'reasoning_content')
    return {
      text: message.content ?? '',
      reasoning: typeof thought === 'string' ? thought : '',
      calls: (message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function'
          ? [
              {
                id: call.id,
                name: call.function.name,
                arguments: readJson(call.function.arguments),
              },
            ]
          : [],
      ),
      usage: {
        prompt: completion.usage?.prompt_tokens,
        completion: completion.usage?.completion_tokens,
      },
    }
  }
}

function messagesOf(input: Input): ChatCompletionMessageParam[] {
  if (input.type === 'results') {
    return input.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
  }
  if (input.png === undefined) return [{ role: 'user', content: input.text }]
  const image = { type: 'image_url' as const, image_url: { url: PNG_URL } }
  return [{ role: 'user', content: [{ type: 'text', text: input.text }, image] }]
}

export const openaiChat: Client = {
  name: '`openai`, chat completions',
  dialect: 'chat',
  open: chat,
  embed: async (place, texts) => {
    const { data } = await sdk(place).embeddings.create({
      model: 'text-embedding-3-small',
      input: texts,
    })
    return data.map(({ embedding }) => embedding)
  },
  failureOf,
}

const responses: Client['open'] = (place, { stream, tools, schema, reasoning: thinks }) => {
  const items: ResponseInputItem[] = []
  return async (input, at = place) => {
    const client = sdk(at)
    items.push(...itemsOf(input))
    const asked = {
      model: MODEL,
      instructions: SYSTEM,
      input: items,
      store: false,
      ...(tools && { tools: [{ type: 'function' as const, strict: true, ...WEATHER }] }),
      ...(schema && {
        text: {
          format: {
            type: 'json_schema' as const,
            name: 'weather',
            strict: true,
            schema: WEATHER_SCHEMA,
          },
        },
      }),
      ...(thinks && {
        include: ['reasoning.encrypted_content' as const],
        reasoning: { effort: 'low' as const, summary: 'auto' as const },
      }),
    }
    const { output, output_text, usage } = stream
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked)
    for (const item of output) {
      if (item.type === 'message' || item.type === 'function_call' || item.type === 'reasoning') {
        items.push(item)
      }
    }
    return {
      text: output_text,
      reasoning: output
        .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
        .map(({ text }) => text)
        .join(''),
      calls: output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ id: item.call_id, name: item.name, arguments: readJson(item.arguments) }]
          : [],
      ),
      usage: { prompt: usage?.input_tokens, completion: usage?.output_tokens },
    }
  }
}

function itemsOf(input: Input): ResponseInputItem[] {
  if (input.type === 'results') {
    return input.results.map(({ id, text }) => ({
      type: 'function_call_output',
      call_id: id,
      output: text,
    }))
  }
  if (input.png === undefined) return [{ role: 'user', content: input.text }]
  const image = { type: 'input_image' as const, image_url: PNG_URL, detail: 'auto' as const }
  return [{ role: 'user', content: [{ type: 'input_text', text: input.text }, image] }]
}

export const openaiResponses: Client = {
  name: '`openai`, responses',
  dialect: 'responses',
  open: responses,
  count: async (place, text) => {
    const counted = await sdk(place).responses.inputTokens.count({ model: MODEL, input: text })
    return counted.input_tokens
  },
  failureOf,
}
