import { expect, test } from 'vitest'
import { ChatEvents, DONE_EVENT } from '../../codec/chat-events.ts'
import { isRecord, member, parseJson } from '../../json-value.ts'
import { type Asked, NOTHING_ASKED } from './asked.ts'
import { ResponseSpeaker } from './speaker.ts'

const events = new ChatEvents({ id: 'c1', created: 1, model: 'gpt-4o' })
const USAGE = events.usage({ promptTokens: 9, completionTokens: 4, cachedTokens: 3 })

const ASKED: Asked = {
  settings: { store: false },
  seals: true,
  tools: new Map([['patch', { isCustom: true, namespace: null }]]),
}

/** Returns the data of the events. Checks their names and sequence numbers. */
function eventsIn(text: string) {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block, index) => {
      const [name = '', data = ''] = block.split('\n')
      const json = parseJson(data.slice('data: '.length))
      expect(json).toMatchObject({ type: name.slice('event: '.length), sequence_number: index })
      return isRecord(json) ? json : {}
    })
}

function said(given: readonly Buffer[], cut: (bytes: Buffer) => Buffer[] = (bytes) => [bytes]) {
  const speaker = new ResponseSpeaker(ASKED)
  const pieces = given.flatMap(cut).flatMap((piece) => [...speaker.say([piece])])
  return eventsIn(Buffer.concat(pieces).toString() + speaker.end(''))
}

const typesOf = (given: readonly Buffer[]) =>
  said(given).map(({ type }) => String(type).replace('response.', ''))

test('a text is told of from its beginning to its end', () => {
  const stream = [
    events.delta({ role: 'assistant', content: '' }),
    events.text('Hel'),
    events.text('lo'),
    events.finish('stop'),
    USAGE,
  ]
  const place = { item_id: 'msg_c1_0', output_index: 0, content_index: 0 }
  const part = (text: string) => ({ type: 'output_text', text, annotations: [] })
  const item = (status: string, content: object[]) => ({
    id: 'msg_c1_0',
    type: 'message',
    status,
    role: 'assistant',
    content,
  })
  const begun = {
    id: 'resp_c1',
    object: 'response',
    created_at: 1,
    status: 'in_progress',
    model: 'gpt-4o',
    store: false,
    output: [],
    usage: null,
  }
  expect(said(stream)).toMatchObject([
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: item('in_progress', []) },
    { type: 'response.content_part.added', ...place, part: part('') },
    { type: 'response.output_text.delta', ...place, delta: 'Hel', logprobs: [] },
    { type: 'response.output_text.delta', ...place, delta: 'lo', logprobs: [] },
    { type: 'response.output_text.done', ...place, text: 'Hello', logprobs: [] },
    { type: 'response.content_part.done', ...place, part: part('Hello') },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: item('completed', [part('Hello')]),
    },
    {
      type: 'response.completed',
      response: {
        ...begun,
        status: 'completed',
        output: [item('completed', [part('Hello')])],
        usage: {
          input_tokens: 9,
          input_tokens_details: { cached_tokens: 3, cache_write_tokens: 0 },
          output_tokens: 4,
          total_tokens: 13,
        },
      },
    },
  ])
})

const MANY = [
  events.reasoning('Hm'),
  events.delta({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] }),
  events.text('So'),
  events.delta({ thinking_blocks: [{ type: 'redacted_thinking', data: 'd' }] }),
  events.toolCall(0, { id: 'a', name: 'f', arguments: '' }),
  events.toolCall(1, { id: 'b', name: 'patch', arguments: '{"input":' }),
  events.toolArguments(0, '{"x":'),
  events.toolArguments(1, ' "Grüße\\u00'),
  events.toolArguments(0, '1}'),
  events.toolArguments(1, 'fc \\ud83d'),
  events.toolArguments(1, '\\ude00\\\\"}'),
  events.finish('tool_calls'),
  USAGE,
]

test('thoughts, a text and calls at the same time', () => {
  expect(typesOf(MANY)).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'output_item.done',
    'output_item.added',
    'output_item.added',
    'function_call_arguments.delta',
    'custom_tool_call_input.delta',
    'function_call_arguments.delta',
    'custom_tool_call_input.delta',
    'custom_tool_call_input.delta',
    'function_call_arguments.done',
    'output_item.done',
    'custom_tool_call_input.done',
    'output_item.done',
    'completed',
  ])
  const all = said(MANY)
  expect(member(all.at(-1)?.['response'], 'output')).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'Hm' }], encrypted_content: expect.any(String) },
    { type: 'message', content: [{ text: 'So' }] },
    { type: 'reasoning', summary: [], encrypted_content: expect.any(String) },
    { type: 'function_call', call_id: 'a', arguments: '{"x":1}' },
    { type: 'custom_tool_call', call_id: 'b', input: 'Grüßeü 😀\\' },
  ])
  const pieces = all
    .filter(({ type }) => type === 'response.custom_tool_call_input.delta')
    .map(({ delta }) => delta)
  expect(pieces).toEqual(['Grüße', 'ü ', '😀\\'])
})

test('calls are told apart without numbers, and named late', () => {
  const piece = (call: object, name: string | undefined, args: string) =>
    events.delta({ tool_calls: [{ ...call, function: { name, arguments: args } }] })
  const stream = [
    piece({ index: 0, id: 'a' }, undefined, '{"x":'),
    piece({ index: 0 }, 'f', '1}'),
    piece({ id: 'b' }, 'g', '{'),
    piece({ id: 'c' }, 'h', '{'),
    piece({ id: 'b' }, undefined, '"y":2}'),
    piece({ id: 'c' }, undefined, '}'),
    piece({ index: 9 }, 'i', '{}'),
  ]
  expect(member(said(stream).at(-1)?.['response'], 'output')).toMatchObject([
    { call_id: 'a', name: 'f', arguments: '{"x":1}' },
    { call_id: 'b', name: 'g', arguments: '{"y":2}' },
    { call_id: 'c', name: 'h', arguments: '{}' },
    { call_id: 'call_c1_3', name: 'i', arguments: '{}' },
  ])
})

test('however the events come, the same is said', () => {
  const single = (bytes: Buffer) => Array.from(bytes, (byte) => Buffer.from([byte]))
  expect(said(MANY, single)).toEqual(said(MANY))
  expect(said([Buffer.concat(MANY)])).toEqual(said(MANY))
})

test('a refusal follows a text in the same message', () => {
  const stream = [events.text('x'), events.delta({ refusal: 'No' }), events.finish('stop')]
  expect(member(said(stream).at(-1)?.['response'], 'output')).toMatchObject([
    { content: [{ text: 'x' }, { type: 'refusal', refusal: 'No' }] },
  ])
})

test('a picture is an item of its own', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/webp;base64,aGk=' } }
  const stream = [events.text('a'), events.delta({ images: [image] }), events.text('b')]
  const place = { item_id: 'ig_c1_1', output_index: 1 }
  const item = (status: string, result: string | null) => ({
    id: 'ig_c1_1',
    type: 'image_generation_call',
    status,
    output_format: 'webp',
    result,
  })
  const all = said([...stream, events.finish('length')])
  const begun = all.findIndex(({ output_index }) => output_index === 1)
  const { output_index } = place
  expect(all.slice(begun - 1, begun + 4)).toMatchObject([
    { type: 'response.output_item.done', output_index: 0 },
    { type: 'response.output_item.added', output_index, item: item('in_progress', null) },
    { type: 'response.image_generation_call.completed', ...place },
    { type: 'response.output_item.done', output_index, item: item('completed', 'aGk=') },
    { type: 'response.output_item.added', output_index: 2 },
  ])
  expect(member(all.at(-1)?.['response'], 'output')).toMatchObject([
    { content: [{ text: 'a' }] },
    item('completed', 'aGk='),
    { content: [{ text: 'b' }], status: 'incomplete' },
  ])
})

test('a stream that is cut off is incomplete', () => {
  expect(said([events.text('Hel'), events.finish('length'), USAGE]).at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    },
  })
})

test('a comment keeps the connection alive', () => {
  const speaker = new ResponseSpeaker(NOTHING_ASKED)
  expect(speaker.say([Buffer.from(': x\n\n')]).join('')).toBe(': keep-alive\n\n')
})

test('usage may come with the end', () => {
  const speaker = new ResponseSpeaker(NOTHING_ASKED)
  speaker.say([events.text('x'), events.finish('stop')])
  expect(speaker.end(USAGE.toString())).toContain('"output_tokens":4')
})

test('a stream that said nothing is a response all the same', () => {
  expect(typesOf([])).toEqual(['created', 'in_progress', 'completed'])
  expect(typesOf([DONE_EVENT])).toEqual(['created', 'in_progress', 'completed'])
})

test('a stream that breaks ends with an error, and the response has failed', () => {
  const error = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
  const failed = [
    { type: 'error', code: 'upstream_error', message: 'why', param: null },
    {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'upstream_error', message: 'why' } },
    },
  ]
  const begun = [{ type: 'response.created' }, { type: 'response.in_progress' }]
  const fail = (of: object = {}) => new ResponseSpeaker(ASKED).fail({ ...error, ...of })
  expect(eventsIn(fail())).toMatchObject([...begun, ...failed])
  expect(fail({ status: 429 })).toContain('"code":"rate_limit_exceeded"')
  expect(fail({ code: null })).toContain('"code":"server_error"')
})

test('a piece of text may have as many probabilities as fit into an event', () => {
  const content = `[${'0,'.repeat(50_000)}0]`
  const data = `{"choices":[{"delta":{"content":"x"},"logprobs":{"content":${content}}}]}`
  const all = said([Buffer.from(`data: ${data}\n\n`)])
  const done = all.find(({ type }) => type === 'response.output_text.done')
  expect(done?.['logprobs']).toHaveLength(50_001)
})

test('nothing that a provider sends makes it throw', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const odd = [
    `{"choices":[{"delta":{"content":"x"},"logprobs":{"content":[{"a":${deep}}]}}]}`,
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"thinking","signature":${deep}}]}}]}`,
    `{"choices":[{"delta":{"extra_content":${deep},"tool_calls":[{"extra_content":${deep}},7]}}]}`,
    '{"id":7,"model":[],"choices":[{"delta":{"content":[7,{"thinking":"x"}],"tool_calls":{}}}]}',
    '{"choices":7}',
    'no JSON',
  ]
  const all = said(odd.map((data) => Buffer.from(`data: ${data}\n\n`)))
  expect(member(all.at(-1)?.['response'], 'output')).toContainEqual(
    expect.objectContaining({ content: [{ type: 'output_text', text: 'x', annotations: [] }] }),
  )
})
