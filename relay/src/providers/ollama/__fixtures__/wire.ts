import type { CodecFixtures } from '../../../codec/testing/conformance.ts'

/*
 * Based on the API description in the repository ollama/ollama (docs/api.md, August 2026).
 */

const AT = '2026-01-01T00:00:00Z'
const TIMES = {
  total_duration: 912000000,
  load_duration: 1000,
  prompt_eval_duration: 5,
  eval_duration: 7,
}

const line = (message: object, more: object = { done: false }) =>
  `${JSON.stringify({ model: 'qwen3', created_at: AT, message: { role: 'assistant', ...message }, ...more })}\n`
const done = (reason: string, counts: object = { prompt_eval_count: 11, eval_count: 7 }) => ({
  done_reason: reason,
  done: true,
  ...TIMES,
  ...counts,
})

const USAGE = { promptTokens: 11, completionTokens: 7 }
const OSLO = { function: { index: 0, name: 'weather', arguments: { city: 'Oslo' } } }
const ROME = { id: 'call_2', function: { index: 1, name: 'weather', arguments: { city: 'Rome' } } }
const PARALLEL = [
  { name: 'weather', arguments: { city: 'Oslo' } },
  { id: 'call_2', name: 'weather', arguments: { city: 'Rome' } },
]

export const answers: CodecFixtures['answers'] = [
  {
    name: 'text after thinking',
    body: line({ content: 'Hi 你好', thinking: 'short' }, done('stop')),
    says: { text: 'Hi 你好', reasoning: 'short', finish: 'stop', usage: USAGE },
  },
  {
    name: 'parallel tool calls',
    body: line({ content: '', tool_calls: [OSLO, ROME] }, done('stop')),
    says: { text: '', tools: PARALLEL, finish: 'tool_calls', usage: USAGE },
  },
  {
    name: 'cut by its length',
    body: line({ content: 'H' }, done('length')),
    says: { text: 'H', finish: 'length', usage: USAGE },
  },
  {
    name: 'a prompt that was cached, and is not counted',
    body: line({ content: 'Hi' }, done('stop', { eval_count: 7 })),
    says: { text: 'Hi', finish: 'stop', usage: null },
  },
]

export const TEXT_STREAM =
  line({ content: '', thinking: 'short' }) +
  line({ content: '你' }) +
  line({ content: '好' }) +
  line({ content: '' }, done('stop'))

export const streams: CodecFixtures['streams'] = [
  {
    name: 'text after thinking',
    bytes: TEXT_STREAM,
    says: { text: '你好', reasoning: 'short', finish: 'stop', usage: USAGE },
  },
  {
    name: 'parallel tool calls in two lines, after a word',
    bytes:
      line({ content: 'I ask.' }) +
      line({ content: '', tool_calls: [OSLO] }) +
      line({ content: '', tool_calls: [ROME] }) +
      line({ content: '' }, done('stop')),
    says: { text: 'I ask.', tools: PARALLEL, finish: 'tool_calls', usage: USAGE },
  },
  {
    name: 'cut by its length, the last word with the end',
    bytes: line({ content: 'H' }) + line({ content: 'i' }, done('length')),
    says: { text: 'Hi', finish: 'length', usage: USAGE },
  },
  {
    name: 'a prompt that was cached',
    bytes: line({ content: 'H' }) + line({ content: '' }, done('stop', { eval_count: 7 })),
    says: { text: 'H', finish: 'stop', usage: null },
  },
]

export const failures: CodecFixtures['failures'] = [
  {
    name: 'an error where an answer should be',
    body: '{"error":"model runner has unexpectedly stopped"}',
    inStream: false,
    kind: 'upstream_fault',
  },
  {
    name: 'an error in the stream',
    body: `${line({ content: 'H' })}{"error":"server busy, overloaded"}\n${line({}, done('stop'))}`,
    inStream: true,
    kind: 'overloaded',
  },
]
