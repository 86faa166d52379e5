import type { CodecFixtures } from '../../../codec/testing/conformance.ts'

/*
 * Based on MiniMax's reference of chatcompletion_v2 and its page of error codes (2026).
 */

const WELL = { base_resp: { status_code: 0, status_msg: '' } }
const HEAD = { id: '04f9', created: 1735689600, model: 'MiniMax-M2' }
const USAGE = { total_tokens: 18, prompt_tokens: 11, completion_tokens: 7 }
const COUNTED = { promptTokens: 11, completionTokens: 7 }

const answer = (message: object, finish: string, more: object = {}) =>
  JSON.stringify({
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', ...message } }],
    usage: USAGE,
    input_sensitive: false,
    output_sensitive: false,
    ...WELL,
    ...more,
  })
const chunk = (delta: object, finish?: string) =>
  `data: ${JSON.stringify({
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', ...delta },
        ...(finish && { finish_reason: finish }),
      },
    ],
    usage: null,
    input_sensitive: false,
    output_sensitive: false,
  })}\n\n`

const tool = (id: string, text: string, index?: number) => ({
  ...(index === undefined ? {} : { index }),
  id,
  type: 'function',
  function: { name: 'weather', arguments: text },
})
const PARALLEL = [
  { id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } },
  { id: 'call_2', name: 'weather', arguments: { city: 'Rome' } },
]

export const answers: CodecFixtures['answers'] = [
  {
    name: 'text after thinking',
    body: answer({ content: 'Hi 你好', reasoning_content: 'short' }, 'stop'),
    says: { text: 'Hi 你好', reasoning: 'short', finish: 'stop', usage: COUNTED },
  },
  {
    name: 'thinking in details, and cached tokens',
    body: answer({ content: 'Hi', reasoning_details: [{ text: 'sho' }, { text: 'rt' }] }, 'stop', {
      usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 5 } },
    }),
    says: {
      text: 'Hi',
      reasoning: 'short',
      finish: 'stop',
      usage: { ...COUNTED, cachedTokens: 5 },
    },
  },
  {
    name: 'parallel tool calls',
    body: answer(
      {
        content: '',
        tool_calls: [tool('call_1', '{"city":"Oslo"}'), tool('call_2', '{"city":"Rome"}')],
      },
      'tool_calls',
    ),
    says: { text: '', tools: PARALLEL, finish: 'tool_calls', usage: COUNTED },
  },
  {
    name: 'cut by its length',
    body: answer({ content: 'H' }, 'length'),
    says: { text: 'H', finish: 'length', usage: COUNTED },
  },
  {
    name: 'sensitive output',
    body: answer({ content: '' }, 'stop', { output_sensitive: true }),
    says: { text: '', finish: 'content_filter', usage: COUNTED },
  },
]

const last = (message: object, finish: string) => `data: ${answer(message, finish)}\n\n`

export const streams: CodecFixtures['streams'] = [
  {
    name: 'text after thinking, repeated at the end',
    bytes:
      chunk({ content: '', reasoning_content: 'short' }) +
      chunk({ content: '你' }) +
      chunk({ content: '好' }, 'stop') +
      last({ content: '你好', reasoning_content: 'short' }, 'stop'),
    says: { text: '你好', reasoning: 'short', finish: 'stop', usage: COUNTED },
  },
  {
    name: 'the reason to finish only at the end',
    bytes: `${chunk({ content: 'H' })}${last({ content: 'H' }, 'length')}data: [DONE]\n\n`,
    says: { text: 'H', finish: 'length', usage: COUNTED },
  },
  {
    name: 'parallel tool calls in pieces',
    bytes:
      chunk({ tool_calls: [tool('call_1', '{"city":', 0)] }) +
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }) +
      chunk({ tool_calls: [tool('call_2', '{"city":"Rome"}', 1)] }, 'tool_calls') +
      last({ content: '', tool_calls: [] }, 'tool_calls'),
    says: { text: '', tools: PARALLEL, finish: 'tool_calls', usage: COUNTED },
  },
]

const failure = (code: number, words: string) => ({
  base_resp: { status_code: code, status_msg: words },
})

export const failures: CodecFixtures['failures'] = [
  {
    name: 'a balance that is used up',
    body: JSON.stringify({ ...failure(1008, 'insufficient balance'), choices: null }),
    inStream: false,
    kind: 'quota',
  },
  {
    name: 'sensitive input',
    body: JSON.stringify(failure(1026, 'input new_sensitive')),
    inStream: false,
    kind: 'content_policy',
  },
  {
    name: 'sensitive output in the stream',
    body: `${chunk({ content: 'H' })}data: ${JSON.stringify({ ...HEAD, ...failure(1027, 'output new_sensitive') })}\n\n`,
    inStream: true,
    kind: 'content_policy',
  },
  {
    name: 'a rate limit as the first event',
    body: `data: ${JSON.stringify(failure(1002, 'rate limit'))}\n\n`,
    inStream: true,
    kind: 'rate_limit',
  },
]
