import { expect, test } from 'vitest'
import {
  type Answer,
  newAnswer,
  NO_PARAMETERS,
  parseTools,
  requestOf,
  restartedAt,
  type ToolCall,
  type Turn,
  withAnswer,
  withDelta,
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
  const calls = [
    { index: 0, id: 'c1', name: 'weather', arguments: '{"city":"Basel"}', result: 'rain' },
  ]
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

test('a call whose arguments were cut off is not sent back', () => {
  const call = { index: 0, id: 'c1', name: 'weather', arguments: '{"city":"Ba', result: '' }
  const whole = { ...call, index: 1, id: 'c2', arguments: '' }
  const sent = (...calls: ToolCall[]) => {
    const stopped = answer('', { state: 'stopped', calls })
    return of([turn('1', 'Weather?', [stopped]), turn('2', 'Go on')])['messages']
  }
  expect(sent(call)).toEqual([
    { role: 'user', content: 'Weather?' },
    { role: 'user', content: 'Go on' },
  ])
  expect(sent(call, whole)).toMatchObject([
    {},
    { role: 'assistant', tool_calls: [{ id: 'c2' }] },
    { role: 'tool', tool_call_id: 'c2' },
    {},
  ])
})

test('images of an answer go along as images, and its reasoning stays here', () => {
  const url = 'data:image/png;base64,AA=='
  const text = `<think>Hm.</think>Here: ![image](${url})`
  const turns = [turn('1', 'Draw', [answer(text, { images: [url] })]), turn('2', 'Bluer')]
  expect(of(turns)['messages']).toContainEqual({
    role: 'assistant',
    content: 'Here: ',
    images: [
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url } },
    ],
  })
})

test('a file that was not kept is not sent', () => {
  const attachments = [{ kind: 'image', name: 'a.png', data: '', isLost: true }] as const
  expect(of([{ ...turn('1', 'See'), attachments }])['messages']).toEqual([
    { role: 'user', content: 'See' },
  ])
})

const delta = (part: object) => ({
  text: '',
  reasoning: '',
  images: [],
  finishReason: '',
  calls: [],
  ...part,
})

test('the first token is the first content, and the reason of the end stays', () => {
  const pieces = [{}, { text: 'Hi' }, { finishReason: 'length' }, {}]
  const [role, first, last] = pieces.reduce<Answer[]>(
    (before, piece, at) => [
      ...before,
      withDelta(before.at(-1) ?? newAnswer('m'), delta(piece), 10 * at),
    ],
    [],
  )
  expect(role?.firstTokenMs).toBeNull()
  expect(first?.firstTokenMs).toBe(10)
  expect(last).toMatchObject({ text: 'Hi', firstTokenMs: 10, finishReason: 'length' })
})

test('calls may begin at any number, and their pieces may be mixed', () => {
  const part = (index: number, rest: object) => ({
    index,
    id: '',
    name: '',
    arguments: '',
    ...rest,
  })
  const pieces = [
    [part(2, { id: 'b', name: 'two', arguments: '{' })],
    [part(1, { id: 'a', name: 'one', arguments: '[' }), part(2, { arguments: '}' })],
    [part(1, { arguments: ']' })],
  ]
  const { calls } = pieces.reduce(
    (before, parts) => withDelta(before, delta({ calls: parts }), 0),
    newAnswer('m'),
  )
  expect(calls).toEqual([
    { index: 2, id: 'b', name: 'two', arguments: '{}', result: '' },
    { index: 1, id: 'a', name: 'one', arguments: '[]', result: '' },
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
