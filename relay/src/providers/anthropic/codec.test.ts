import { readFileSync } from 'node:fs'
import { describe } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { anthropicCodec } from './codec.ts'

const call = (parts: Partial<ProviderCall> = {}): ProviderCall => ({
  endpoint: 'chat',
  request: { messages: [{ role: 'user', content: 'What time is it?' }] },
  model: 'claude-sonnet-4-5',
  stream: false,
  channel: { baseUrl: '', key: 'sk-ant-api03-x', other: '' },
  now: 1_760_000_000_000,
  id: MADE_ID,
  ...parts,
})

const fixture = (name: string) =>
  readFileSync(new URL(`__fixtures__/${name}`, import.meta.url), 'utf8')

const message = (content: unknown[], stopReason: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    id: 'msg_01A',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 5 },
    ...more,
  })

const event = (data: Record<string, unknown> & { type: string }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const start = (usage: Record<string, unknown> = { input_tokens: 12, output_tokens: 1 }) =>
  event({
    type: 'message_start',
    message: {
      id: 'msg_01A',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  })

const open = (index: number, block: Record<string, unknown>) =>
  event({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, piece: Record<string, unknown>) =>
  event({ type: 'content_block_delta', index, delta: piece })
const close = (index: number) => event({ type: 'content_block_stop', index })
const end = (stopReason: string, usage: Record<string, unknown>, more = {}) =>
  event({
    type: 'message_delta',
    delta: { stop_reason: stopReason, stop_sequence: null, ...more },
    usage,
  }) + event({ type: 'message_stop' })

const text = (index: number, ...pieces: string[]) =>
  [
    open(index, { type: 'text', text: '' }),
    ...pieces.map((piece) => delta(index, { type: 'text_delta', text: piece })),
    close(index),
  ].join('')

const tool = (index: number, id: string, name: string, ...pieces: string[]) =>
  [
    open(index, { type: 'tool_use', id, name, input: {} }),
    ...pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece })),
    close(index),
  ].join('')

const OVERLOADED = { type: 'overloaded_error', message: 'Overloaded' }

describe('Anthropic', () => {
  conformance('anthropic', {
    codec: anthropicCodec,
    call,
    answers: [
      {
        name: 'text',
        body: message(
          [
            { type: 'text', text: 'Hé ' },
            { type: 'text', text: 'là 🎉' },
          ],
          'end_turn',
        ),
        says: {
          text: 'Hé là 🎉',
          finish: 'stop',
          usage: { promptTokens: 12, completionTokens: 5 },
        },
      },
      {
        name: 'thoughts, parallel tools and a prompt from the cache',
        body: fixture('tools-from-cache.json'),
        says: {
          text: 'I look.',
          reasoning: 'Need the time.',
          tools: [
            { id: 'toolu_01B', name: 'get_time', arguments: { tz: 'UTC' } },
            { id: 'toolu_01C', name: 'get_date', arguments: {} },
          ],
          finish: 'tool_calls',
          usage: {
            promptTokens: 1165,
            completionTokens: 37,
            cachedTokens: 1024,
            cacheWriteTokens: 100,
            reasoningTokens: 9,
          },
        },
      },
      {
        name: 'cut by length',
        body: message([{ type: 'text', text: 'One' }], 'max_tokens'),
        says: { text: 'One', finish: 'length', usage: { promptTokens: 12, completionTokens: 5 } },
      },
      {
        name: 'cut by the window',
        body: message([{ type: 'text', text: 'One' }], 'model_context_window_exceeded'),
        says: { text: 'One', finish: 'length', usage: { promptTokens: 12, completionTokens: 5 } },
      },
      {
        name: 'a refusal',
        body: message([], 'refusal', {
          stop_details: { type: 'refusal', category: 'x', explanation: 'Not this.' },
        }),
        says: {
          text: '',
          finish: 'content_filter',
          usage: { promptTokens: 12, completionTokens: 5 },
        },
      },
      {
        name: 'a reason that is not known yet',
        body: message([{ type: 'text', text: 'Yes' }], 'compaction'),
        says: { text: 'Yes', finish: 'stop', usage: { promptTokens: 12, completionTokens: 5 } },
      },
    ],
    streams: [
      {
        name: 'text',
        bytes: start() + text(0, 'Hé ', 'là ', '🎉') + end('end_turn', { output_tokens: 5 }),
        says: {
          text: 'Hé là 🎉',
          finish: 'stop',
          usage: { promptTokens: 12, completionTokens: 5 },
        },
      },
      {
        name: 'thoughts and a tool, as the documentation has it',
        bytes: fixture('thinking-and-tool.stream.txt'),
        says: {
          text: '',
          reasoning: 'Need the time.',
          tools: [{ id: 'toolu_01B', name: 'get_time', arguments: { tz: 'UTC' } }],
          finish: 'tool_calls',
          usage: { promptTokens: 1065, completionTokens: 37, cachedTokens: 1024 },
        },
      },
      {
        name: 'text between parallel tools, one without input, and a second beginning',
        bytes: [
          start(),
          text(0, 'First.'),
          tool(1, 'toolu_1', 'get_time', '{"tz":"UTC"}'),
          start({ input_tokens: 99, output_tokens: 99 }),
          text(2, 'Then.'),
          tool(3, 'toolu_2', 'get_date'),
          event({ type: 'a_later_event' }),
          end('tool_use', { input_tokens: 20, output_tokens: 30, cache_read_input_tokens: null }),
        ].join(''),
        says: {
          text: 'First.Then.',
          tools: [
            { id: 'toolu_1', name: 'get_time', arguments: { tz: 'UTC' } },
            { id: 'toolu_2', name: 'get_date', arguments: {} },
          ],
          finish: 'tool_calls',
          usage: { promptTokens: 20, completionTokens: 30 },
        },
      },
      {
        name: 'cut by length',
        bytes: start() + text(0, 'One') + end('max_tokens', { output_tokens: 1 }),
        says: { text: 'One', finish: 'length', usage: { promptTokens: 12, completionTokens: 1 } },
      },
      {
        name: 'a refusal',
        bytes:
          start() +
          end(
            'refusal',
            { output_tokens: 3 },
            { stop_details: { type: 'refusal', explanation: 'Not this.' } },
          ),
        says: {
          text: '',
          finish: 'content_filter',
          usage: { promptTokens: 12, completionTokens: 3 },
        },
      },
    ],
    failures: [
      {
        name: 'a body of status 200',
        body: fixture('overloaded.json'),
        inStream: false,
        kind: 'overloaded',
      },
      {
        name: 'an event in the middle',
        body: start() + text(0, 'On') + event({ type: 'error', error: OVERLOADED }),
        inStream: true,
        kind: 'overloaded',
      },
      {
        name: 'an event about the request',
        body: event({
          type: 'error',
          error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens' },
        }),
        inStream: true,
        kind: 'context_length',
      },
    ],
  })
})
