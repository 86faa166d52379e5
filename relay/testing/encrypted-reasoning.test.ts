import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  parseJson,
  textOf,
} from '../src/bytes/json-value.ts'
import { asSteps, finish } from '../src/bytes/steps.ts'
import { descriptorOf } from '../src/catalogue.ts'
import { codecOf } from '../src/codecs.ts'
import { accepted } from '../src/errors/testing/accepted.ts'
import type { Decoded } from '../src/form/answer.ts'
import { NO_USAGE } from '../src/usage/usage.ts'
import { anthropicDialect } from '../src/wires/anthropic-messages/dialect.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { geminiCallAt, geminiDialect } from '../src/wires/gemini/dialect.ts'
import { openaiDialect } from '../src/wires/openai-chat/dialect.ts'
import { cipherFor } from '../src/wires/openai-responses/testing/readable-cipher.ts'
import { encodeChat } from './client-request.ts'
import { relayStream } from './relay-stream.ts'

/*
 * Reasoning that a model of the Responses API encrypted comes back to it with the next request,
 * whatever the client's dialect. Clients of Responses get the provider's own items.
 */

const MODEL = 'gpt-5.6-sol'
const TOOL = { name: 'get_time', parameters: { type: 'object', properties: {} } }
const FIXTURES = path.join(import.meta.dirname, '../src/providers/openai-responses/__fixtures__')

const descriptor = descriptorOf(1002) ?? expect.fail('there is no such channel type')
const channel = { baseUrl: 'https://api.openai.com', key: 'k', other: '' }
const { decode } = codecOf(descriptor)?.answers ?? expect.fail('the codec reads no answers')
const call = { endpoint: 'chat', model: MODEL, stream: false, channel, now: 0, id: 'r' } as const

type Client = {
  readonly dialect: (streams: boolean) => ClientDialect
  /** The request that asks, and the request that returns the answer with a tool's result. */
  readonly first: JsonRecord
  readonly next: (answer: JsonRecord) => JsonRecord
  /** The answer that a client puts together from the events of a stream. */
  readonly gather: (events: readonly JsonRecord[]) => JsonRecord
}

const chatTools = { tools: [{ type: 'function', function: TOOL }] }
const asked = { role: 'user', content: 'What time is it?' }
const messageTools = { tools: [{ name: TOOL.name, input_schema: TOOL.parameters }] }
const contents = [{ role: 'user', parts: [{ text: 'What time is it?' }] }]
const declared = { tools: [{ functionDeclarations: [TOOL] }] }
const TOOL_RESULT = { type: 'tool_result', tool_use_id: 'call_1', content: 'noon' }
const FUNCTION_RESPONSE = { id: 'call_1', name: 'get_time', response: {} }
const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    dialect: () => openaiDialect,
    first: { model: MODEL, messages: [asked], ...chatTools },
    next: ({ choices }) => ({
      model: MODEL,
      ...chatTools,
      messages: [
        asked,
        member(listOf(choices)[0], 'message'),
        { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
      ],
    }),
    gather: (events) => {
      const deltas = events.map(({ choices }) => member(listOf(choices)[0], 'delta'))
      const all = (name: string) => deltas.flatMap((delta) => member(delta, name) ?? [])
      const calls = all('tool_calls').filter((one) => member(one, 'id') !== undefined)
      const message = {
        role: 'assistant',
        content: all('content').map(textOf).join(''),
        tool_calls: calls.map((one) => ({ ...(isRecord(one) ? one : {}), index: undefined })),
        reasoning_details: all('reasoning_details'),
      }
      return { choices: [{ message }] }
    },
  },
  messages: {
    dialect: () => anthropicDialect(cipherFor),
    first: { model: MODEL, max_tokens: 100, messages: [asked], ...messageTools },
    next: ({ content }) => ({
      model: MODEL,
      max_tokens: 100,
      ...messageTools,
      messages: [asked, { role: 'assistant', content }, { role: 'user', content: [TOOL_RESULT] }],
    }),
    gather: (events) => {
      const blocks: Record<string, unknown>[] = []
      for (const { type, index, content_block: block, delta } of events) {
        if (type === 'content_block_start' && isRecord(block)) blocks[Number(index)] = { ...block }
        const open = blocks[Number(index)]
        if (type !== 'content_block_delta' || open === undefined || !isRecord(delta)) continue
        for (const name of ['text', 'thinking', 'signature']) {
          if (name in delta) open[name] = textOf(open[name]) + textOf(delta[name])
        }
      }
      return { content: blocks }
    },
  },
  gemini: {
    dialect: (streams) => {
      const method = streams ? 'streamGenerateContent' : 'generateContent'
      return geminiDialect(geminiCallAt(`/v1beta/models/m:${method}`, 'alt=sse'), cipherFor)
    },
    first: { contents, ...declared },
    next: ({ candidates }) => ({
      ...declared,
      contents: [
        ...contents,
        ...listOf(candidates).map((candidate) => member(candidate, 'content')),
        { role: 'user', parts: [{ functionResponse: FUNCTION_RESPONSE }] },
      ],
    }),
    gather: (events) => ({ candidates: events.flatMap(({ candidates }) => listOf(candidates)) }),
  },
}

const recordIn = (json: string): JsonRecord => {
  const value = parseJson(json)
  return isRecord(value) ? value : expect.fail('no object')
}

const fixture = (name: string) => readFileSync(path.join(FIXTURES, name))

/** The dialect that has read the first request. */
function asking({ dialect, first }: Client, streams: boolean): ClientDialect {
  const used = dialect(streams)
  accepted(finish(used.readRequest('chat', Buffer.from(JSON.stringify(first)), {})))
  return used
}

function wholeAnswer(client: Client): JsonRecord {
  const body = fixture('answers/reasoning-and-tools.json')
  const answer = finish(asSteps<Decoded>(decode(body, { ...call, request: {} })))
  if (Buffer.isBuffer(answer)) throw new Error('the codec reads no answer')
  const charged = { usage: NO_USAGE, bytes: body.length }
  return recordIn(finish(asking(client, false).answer(answer, charged)).toString())
}

function streamedAnswer(client: Client): JsonRecord {
  const upstream = { descriptor, call: { ...call, stream: true, request: {} } }
  const chunks = [fixture('streams/reasoning-and-tools.sse')]
  const { bytes } = relayStream(upstream, asking(client, true), chunks)
  return client.gather(
    [...bytes.matchAll(/^data: (\{.*\})\r?$/gm)].map(([, data = '']) => recordIn(data)),
  )
}

/** Types of the items in the request that follows, with the encrypted reasoning. */
function itemsAfter({ dialect, next }: Client, answer: JsonRecord): unknown[] {
  const body = next(answer)
  const used = dialect(false)
  const sent = accepted(encodeChat(used, { descriptor, channel }, { model: MODEL, body }))
  return listOf(recordIn(sent.body.toString())['input']).map(
    (item) => member(item, 'encrypted_content') ?? member(item, 'type') ?? member(item, 'role'),
  )
}

const CALLS = ['function_call', 'function_call']
const OUTPUTS = ['function_call_output', 'function_call_output']
const ITEMS = ['user', 'gAAA1', 'assistant', 'gAAA2', ...CALLS, ...OUTPUTS]

test.each(Object.entries(CLIENTS))('comes back from a client of %s', (_name, client) => {
  expect(itemsAfter(client, wholeAnswer(client))).toEqual(ITEMS)
  expect(itemsAfter(client, streamedAnswer(client))).toEqual(ITEMS)
})
