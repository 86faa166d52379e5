import type { CodecFixtures } from '../../../codec/testing/conformance.ts'

/*
 * Based on iFlytek's reference of the WebSocket interface and its list of errors (2025).
 */

const frame = (status: 0 | 1 | 2, text: object, more: object = {}) =>
  `${JSON.stringify({
    header: { code: 0, message: 'Success', sid: 'cht000a@dx1', status },
    payload: {
      choices: {
        status,
        seq: status,
        text: [{ role: 'assistant', index: 0, content: '', ...text }],
      },
      ...more,
    },
  })}\n`
const usage = (completion: number) => ({
  usage: {
    text: {
      question_tokens: 4,
      prompt_tokens: 11,
      completion_tokens: completion,
      total_tokens: 11 + completion,
    },
  },
})
const failed = (code: number, message: string) =>
  `${JSON.stringify({ header: { code, message, sid: 'cht000b@dx2', status: 2 } })}\n`

const USAGE = { promptTokens: 11, completionTokens: 7 }

/** Search results, before the text. */
const FOUND = `${JSON.stringify({
  header: { code: 0, message: 'Success', sid: 'cht000a@dx1', status: 0 },
  payload: { plugins: { text: [{ name: 'ifly_search', content: '[{"index":1}]' }] } },
})}\n`
const CALL = { function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } }

export const answers: CodecFixtures['answers'] = [
  {
    name: 'text after thinking',
    body:
      frame(0, { reasoning_content: 'short' }) +
      frame(1, { content: '你' }) +
      frame(2, { content: '好！' }, usage(7)),
    says: { text: '你好！', reasoning: 'short', finish: 'stop', usage: USAGE },
  },
  {
    name: 'a function call',
    body: frame(0, { content: 'I ask.' }) + frame(2, CALL, usage(7)),
    says: {
      text: 'I ask.',
      tools: [{ name: 'weather', arguments: { city: 'Oslo' } }],
      finish: 'tool_calls',
      usage: USAGE,
    },
  },
  {
    name: 'as many tokens as were allowed',
    body: frame(0, { content: 'a' }) + frame(2, { content: 'b' }, usage(64)),
    says: {
      text: 'ab',
      finish: 'length',
      usage: { promptTokens: 11, completionTokens: 64 },
    },
  },
  {
    name: 'text after what was found',
    body: FOUND + frame(1, { content: 'a' }) + frame(2, { content: '.' }, usage(7)),
    says: { text: 'a.', finish: 'stop', usage: USAGE },
  },
]

export const streams: CodecFixtures['streams'] = answers.map(({ name, body, says }) => ({
  name,
  bytes: body,
  says,
}))

export const failures: CodecFixtures['failures'] = [
  {
    name: 'tokens that are used up',
    body: failed(11200, 'AppIdNoAuthError'),
    inStream: false,
    kind: 'quota',
  },
  {
    name: 'a filter after the first word',
    body: frame(0, { content: 'a' }) + failed(10014, 'output moderation'),
    inStream: false,
    kind: 'content_policy',
  },
  {
    name: 'a second question at once',
    body: failed(10007, 'previous question still running'),
    inStream: true,
    kind: 'rate_limit',
  },
  {
    name: 'a filter after the first word of a stream',
    body: frame(0, { content: 'a' }) + failed(10019, 'output may be sensitive'),
    inStream: true,
    kind: 'content_policy',
  },
  {
    name: 'a question too long',
    body: failed(10907, 'token count exceeds limit'),
    inStream: true,
    kind: 'context_length',
  },
  {
    name: 'a busy engine',
    body: failed(10110, 'service busy'),
    inStream: true,
    kind: 'overloaded',
  },
  {
    name: 'a fault of the engine',
    body: failed(10010, 'engine error'),
    inStream: true,
    kind: 'upstream_fault',
  },
]
