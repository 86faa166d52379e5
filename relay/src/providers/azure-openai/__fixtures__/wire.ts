import type { CodecFixtures } from '../../../codec/testing/conformance.ts'

/*
 * Based on Microsoft's data plane reference and on the stream recorded in vercel/ai.
 */

function answer(message: object, finish: string, more: object = {}) {
  const choice = { index: 0, message, finish_reason: finish, content_filter_results: FILTERED }
  const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4.1' }
  return JSON.stringify({
    ...head,
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTERED }],
    choices: [choice],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    ...more,
  })
}

const FILTERED = { hate: { filtered: false, severity: 'safe' } }
const USAGE = { promptTokens: 11, completionTokens: 7 }

const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`
export const PROMPT_REPORT = event({
  choices: [],
  created: 0,
  id: '',
  model: '',
  object: '',
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTERED }],
})
const chunk = (delta: object, finish: string | null = null) =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4.1',
    choices: [{ index: 0, delta, finish_reason: finish, content_filter_results: FILTERED }],
  })
const usageChunk = event({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4.1',
  choices: [],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
})
const DONE = 'data: [DONE]\n\n'
export const TEXT_STREAM =
  PROMPT_REPORT +
  chunk({ role: 'assistant', content: '' }) +
  chunk({ content: '你' }) +
  chunk({ content: '好' }) +
  chunk({}, 'stop') +
  usageChunk +
  DONE

const tool = (id: string, city: string, index?: number) => ({
  ...(index === undefined ? {} : { index }),
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
})
const PARALLEL = [
  { id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } },
  { id: 'call_2', name: 'weather', arguments: { city: 'Rome' } },
]
const BLOCKED = {
  error: {
    message: 'The prompt triggered the content management policy.',
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: FILTERED },
  },
}

export const answers: CodecFixtures['answers'] = [
  {
    name: 'text',
    body: answer({ role: 'assistant', content: 'Hi' }, 'stop'),
    says: { text: 'Hi', finish: 'stop', usage: USAGE },
  },
  {
    name: 'parallel tool calls',
    body: answer(
      {
        role: 'assistant',
        content: null,
        tool_calls: [tool('call_1', 'Oslo'), tool('call_2', 'Rome')],
      },
      'tool_calls',
    ),
    says: { text: '', tools: PARALLEL, finish: 'tool_calls', usage: USAGE },
  },
  {
    name: 'cut by its length',
    body: answer({ role: 'assistant', content: 'H' }, 'length'),
    says: { text: 'H', finish: 'length', usage: USAGE },
  },
  {
    name: 'blocked output',
    body: answer({ role: 'assistant', content: '' }, 'content_filter'),
    says: { text: '', finish: 'content_filter', usage: USAGE },
  },
  {
    name: 'cached and reasoning tokens',
    body: answer({ role: 'assistant', content: 'Hi' }, 'stop', {
      usage: {
        prompt_tokens: 2000,
        completion_tokens: 90,
        total_tokens: 2090,
        prompt_tokens_details: { cached_tokens: 1920 },
        completion_tokens_details: { reasoning_tokens: 64 },
      },
    }),
    says: {
      text: 'Hi',
      finish: 'stop',
      usage: {
        promptTokens: 2000,
        completionTokens: 90,
        cachedTokens: 1920,
        reasoningTokens: 64,
      },
    },
  },
]

export const streams: CodecFixtures['streams'] = [
  {
    name: 'text after a report on the prompt',
    bytes: TEXT_STREAM,
    says: { text: '你好', finish: 'stop', usage: USAGE },
  },
  {
    name: 'parallel tool calls',
    bytes:
      PROMPT_REPORT +
      chunk({ role: 'assistant', content: null, tool_calls: [tool('call_1', 'Oslo', 0)] }) +
      chunk({ tool_calls: [tool('call_2', 'Rome', 1)] }) +
      chunk({}, 'tool_calls') +
      usageChunk +
      DONE,
    says: { text: '', tools: PARALLEL, finish: 'tool_calls', usage: USAGE },
  },
]

export const failures: CodecFixtures['failures'] = [
  {
    name: 'an error where an answer should be',
    body: JSON.stringify(BLOCKED),
    inStream: false,
    kind: 'content_policy',
  },
  {
    name: 'an error in the stream',
    body: PROMPT_REPORT + event({ error: { code: '429', message: 'Slow down.' } }),
    inStream: true,
    kind: 'rate_limit',
  },
]
