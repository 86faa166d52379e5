import { expect, test } from 'vitest'
import {
  type Answer,
  newAnswer,
  NO_PARAMETERS,
  parseTools,
  requestOf,
  restartedAt,
  type Turn,
  withAnswer,
} from './conversation.ts'

const answer = (text: string, rest: Partial<Answer> = {}): Answer => ({
  ...newAnswer('m'),
  state: 'finished',
  text,
  ...rest,
})
const turn = (id: string, text: string, answers: Turn['answers'] = []): Turn => ({
  id,
  text,
  attachments: [],
  answers,
})
const of = (turns: readonly Turn[], side = 0, parameters = NO_PARAMETERS) =>
  requestOf(turns, side, { model: 'm', parameters })

test('each side is sent its own answers, and the last turn without any', () => {
  const turns = [
    turn('1', 'Hi', [answer('left'), answer('right')]),
    turn('2', 'And?', [answer('old'), null]),
  ]
  expect(of(turns, 1)).toEqual({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'right' },
      { role: 'user', content: 'And?' },
    ],
  })
})

test('parameters are sent only if they are set', () => {
  const parameters = {
    system: 'Be brief.',
    temperature: '0',
    topP: '0.5',
    maxTokens: '20',
    effort: 'low',
    tools: '[{"type":"function"}]',
    isStreamed: false,
  }
  expect(of([turn('1', 'Hi')], 0, parameters)).toEqual({
    model: 'm',
    stream: false,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    temperature: 0,
    top_p: 0.5,
    max_completion_tokens: 20,
    reasoning_effort: 'low',
    tools: [{ type: 'function' }],
  })
})

test('images, PDFs and text files become parts before the text', () => {
  const attachments = [
    { kind: 'image', name: 'a.png', data: 'data:image/png;base64,AA' },
    { kind: 'pdf', name: 'b.pdf', data: 'data:application/pdf;base64,BB' },
    { kind: 'text', name: 'c.txt', data: 'content' },
  ] as const
  expect(of([{ ...turn('1', 'See'), attachments }])['messages']).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,BB' } },
        { type: 'text', text: 'c.txt:\n\ncontent' },
        { type: 'text', text: 'See' },
      ],
    },
  ])
})

test('a call is sent back with its result, and no empty message follows', () => {
  const calls = [{ id: 'c1', name: 'weather', arguments: '{"city":"Basel"}', result: 'rain' }]
  const turns = [turn('1', 'Weather?', [answer('', { calls })]), turn('2', '')]
  expect(of(turns)['messages']).toEqual([
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Basel"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'rain' },
  ])
})

test('an edited turn loses its answers and the turns after it', () => {
  const turns = [turn('1', 'a', [answer('x')]), turn('2', 'b', [answer('y')]), turn('3', 'c')]
  expect(restartedAt(turns, '2', { text: 'changed' })).toEqual([
    turns[0],
    { ...turn('2', 'changed'), answers: [] },
  ])
})

test('a change reaches one answer alone', () => {
  const turns = [turn('1', 'a', [answer('x'), answer('y')])]
  const changed = withAnswer(turns, { turn: '1', side: 1 }, (old) => ({ ...old, text: 'z' }))
  expect(changed[0]?.answers.map((item) => item?.text)).toEqual(['x', 'z'])
})

test.each([
  ['', []],
  [' [{"type":"function"}] ', [{ type: 'function' }]],
  ['{"type":"function"}', null],
  ['[1]', null],
  ['[', null],
])('the tools %j are read as %j', (text, tools) => {
  expect(parseTools(text)).toEqual(tools)
})
