import fc from 'fast-check'
import { isRecord, type JsonRecord } from '../src/bytes/json-value.ts'

/*
 * Histories as sessions leave them that went from model to model: calls and results without each
 * other, reasoning of other vendors, items of no other API, and media that few vendors take. The
 * question is always plain, so only the history can be refused.
 */

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = Buffer.from('%PDF-1.4\n').toString('base64')
const IMAGE = `data:image/png;base64,${PNG}`
const LINK = 'https://example.com/gone.png'
const SIGNATURES = ['', 'EpQBCkYIBRgC', 'CiQBjz1rXyab', '0b5c1d70-4f8a-4c1e-9d2b-7a6e5f4d3c2b']
const IDS = ['', 'call_1', 'toolu_1', 'functions.read:0', `call_${'x'.repeat(80)}`]
const NAMES = ['read', '', 'mcp.fs/read', '天气', 'n'.repeat(90)]
const INPUTS = ['{}', '{"path":"a"}', '{"path":"a', '', '[1]', '"text"']

type Call = { readonly id: string; readonly name: string; readonly input: string }

const call: fc.Arbitrary<Call> = fc.record({
  id: fc.constantFrom(...IDS),
  name: fc.constantFrom(...NAMES),
  input: fc.constantFrom(...INPUTS),
})
const signature = fc.constantFrom(...SIGNATURES)

export type History = readonly JsonRecord[]

const turns = (asked: fc.Arbitrary<History>, answered: fc.Arbitrary<History>) =>
  fc.array(fc.tuple(asked, answered), { minLength: 1, maxLength: 5 }).map((list) => list.flat(2))

const said = (parts: readonly unknown[]): fc.Arbitrary<unknown[]> =>
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 })

const CHAT_PARTS = [
  { type: 'text', text: 'Look.' },
  { type: 'text', text: '' },
  { type: 'image_url', image_url: { url: IMAGE } },
  { type: 'image_url', image_url: { url: LINK } },
  { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,PHN2Zy8+' } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'opus' } },
  { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
  { type: 'file', file: { file_id: 'file-1' } },
  { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
]

const chatCall = ({ id, name, input }: Call) => ({
  id,
  type: 'function',
  function: { name, arguments: input },
})

const chat = turns(
  said(CHAT_PARTS).map((content) => [{ role: 'user', content }]),
  fc.oneof(
    fc.constantFrom('Done.', '', null).map((content) => [{ role: 'assistant', content }]),
    fc.constant([{ role: 'assistant', content: null, refusal: 'No.' }]),
    signature.map((seal) => [
      {
        role: 'assistant',
        content: 'Done.',
        reasoning_content: 'Hm.',
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: seal }],
        reasoning_details: [{ type: 'reasoning.encrypted', data: seal }],
      },
    ]),
    call.map((one) => [{ role: 'assistant', content: null, tool_calls: [chatCall(one)] }]),
    call.map(({ id }) => [
      { role: 'assistant', content: 'Done.' },
      { role: 'tool', tool_call_id: id, content: 'lost' },
    ]),
    fc.tuple(call, call, said(CHAT_PARTS.slice(0, 4))).map(([one, two, content]) => [
      { role: 'assistant', content: '', tool_calls: [chatCall(one), chatCall(two)] },
      { role: 'tool', tool_call_id: two.id, content },
    ]),
    fc.constant([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch', input: '*** Begin' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '' },
    ]),
    fc.constant([
      { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } },
      { role: 'function', name: 'read', content: '7 degrees' },
    ]),
  ),
)

const BLOCKS = [
  { type: 'text', text: 'Look.' },
  { type: 'text', text: '' },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
  { type: 'image', source: { type: 'url', url: LINK } },
  { type: 'image', source: { type: 'file', file_id: 'file_1' } },
  { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
  { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  { type: 'container_upload', file_id: 'file_1' },
]

/** Anthropic takes no uploads in results. */
const RESULT_BLOCKS = [...BLOCKS.slice(0, -1), { type: 'mystery' }]

const inputOf = (text: string) => (text.startsWith('{"path":"a"') ? { path: 'a' } : {})
const toolUse = ({ id, name, input }: Call) => ({
  type: 'tool_use',
  id,
  name,
  input: inputOf(input),
})

const messages = turns(
  said(BLOCKS).map((content) => [{ role: 'user', content }]),
  fc.oneof(
    fc
      .constantFrom<unknown[]>([], [{ type: 'text', text: '' }], [{ type: 'mystery' }])
      .map((content) => [{ role: 'assistant', content }]),
    fc.tuple(signature, call).map(([seal, one]) => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: seal },
          { type: 'redacted_thinking', data: seal },
          toolUse(one),
        ],
      },
    ]),
    fc.constant([
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
          { type: 'text', text: 'Found.' },
        ],
      },
    ]),
    fc.tuple(call, call, said(RESULT_BLOCKS)).map(([one, two, content]) => [
      { role: 'assistant', content: [toolUse(one), toolUse(two)] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: two.id, content }] },
    ]),
  ),
)

const INPUT_PARTS = [
  { type: 'input_text', text: 'Look.' },
  { type: 'input_text', text: '' },
  { type: 'input_image', image_url: IMAGE },
  { type: 'input_image', file_id: 'file_1' },
  { type: 'input_file', file_id: 'file_1' },
  { type: 'input_file', file_url: 'https://example.com/a.pdf' },
  { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'opus' } },
  { type: 'mystery' },
]

const callItem = ({ id, name, input }: Call) => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: input,
})
const spoken = { role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }

const responses = turns(
  said(INPUT_PARTS).map((content) => [{ role: 'user', content }]),
  fc.oneof(
    fc.constant([{ role: 'assistant', content: '' }, spoken]),
    signature.map((seal) => [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: seal },
      spoken,
    ]),
    fc.constant([{ type: 'mystery_item', id: 'x' }, { type: 'web_search_call', id: 'ws' }, spoken]),
    call.map((one) => [callItem(one)]),
    fc
      .tuple(call, call, said(INPUT_PARTS))
      .map(([one, two, output]) => [
        callItem(one),
        { type: 'function_call_output', call_id: two.id, output },
        spoken,
      ]),
    fc.constant([
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'c', output: '' },
      { type: 'local_shell_call', call_id: 's', action: { type: 'exec', command: ['ls'] } },
      spoken,
    ]),
  ),
)

const PARTS = [
  { text: 'Look.' },
  { text: '' },
  { inlineData: { mimeType: 'image/png', data: PNG } },
  { inlineData: { mimeType: 'image/heic', data: 'AAAA' } },
  { inlineData: { mimeType: 'audio/opus', data: 'AAAA' } },
  { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } },
  { inlineData: { mimeType: 'application/pdf', data: PDF } },
  { inlineData: { mimeType: '', data: '' } },
  { fileData: { fileUri: 'gs://bucket/a.mp4', mimeType: 'video/mp4' } },
  { fileData: {} },
  { mystery: {} },
]

const functionCall = ({ name, input }: Call) => ({
  functionCall: { name, args: input.startsWith('{') ? inputOf(input) : input },
})

const gemini = turns(
  said(PARTS).map((parts) => [{ role: 'user', parts }]),
  fc.oneof(
    said(PARTS).map((parts) => [{ role: 'model', parts }]),
    fc.constant([{ role: 'model', parts: [] }]),
    fc.tuple(signature, call).map(([thoughtSignature, one]) => [
      {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { ...functionCall(one), thoughtSignature },
        ],
      },
    ]),
    fc.tuple(call, call).map(([one, two]) => [
      { role: 'model', parts: [functionCall(one)] },
      { role: 'user', parts: [{ functionResponse: { name: two.name, response: 'lost' } }] },
      { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: '1' } }] },
    ]),
  ),
)

export type Wire = 'chat' | 'messages' | 'responses' | 'gemini'

/** The member of each wire that holds the messages. */
export const LISTS: Readonly<Record<Wire, string>> = {
  chat: 'messages',
  messages: 'messages',
  gemini: 'contents',
  responses: 'input',
}

const HISTORIES: Readonly<Record<Wire, fc.Arbitrary<History>>> = {
  chat,
  messages,
  responses,
  gemini,
}

/** The values of a message with their places; elements of a list share a place. */
function valuesOf(value: unknown, place = ''): readonly string[] {
  const parts = Array.isArray(value)
    ? value.map((part: unknown) => ['', part] as const)
    : isRecord(value)
      ? Object.entries(value)
      : []
  if (parts.length === 0) return [`${place}=${JSON.stringify(value)}`]
  return parts.flatMap(([name, part]) => valuesOf(part, `${place}.${name}`))
}

/** Each pair of values of a message, and of messages that follow each other. */
function pairsOf(history: History): readonly string[] {
  const values = history.map((message) => valuesOf(message))
  return values.flatMap((own, index) => {
    const after = (values[index + 1] ?? []).map((value) => `next${value}`)
    return own.flatMap((first) => [...own, ...after].map((second) => `${first} ${second}`))
  })
}

/**
 * The same histories in each run: of four hundred, those with a pair of values that none before
 * them has.
 */
export function sampleHistories(wire: Wire): readonly History[] {
  const seen = new Set<string>()
  return fc.sample(HISTORIES[wire], { seed: 11, numRuns: 400 }).filter((history) => {
    const before = seen.size
    for (const pair of pairsOf(history)) seen.add(pair)
    return seen.size > before
  })
}

const QUESTION = 'And now?'

/** A request whose history is given, in the form of its wire. */
export function asking(wire: Wire, history: History): JsonRecord {
  const question = { role: 'user', content: QUESTION }
  switch (wire) {
    case 'chat':
      return { model: 'm', max_completion_tokens: 2000, messages: [...history, question] }
    case 'messages':
      return { model: 'm', max_tokens: 2000, messages: [...history, question] }
    case 'responses':
      return { model: 'm', max_output_tokens: 2000, input: [...history, question] }
    case 'gemini':
      return { contents: [...history, { role: 'user', parts: [{ text: QUESTION }] }] }
  }
}
