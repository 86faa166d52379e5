import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonRecord, listOf, member, omit } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { mediaOf } from '../src/tokens/attachments.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { hasPrefill } from '../src/wires/openai-chat/vendor-messages.ts'
import { sampleRequests } from './sample-requests.ts'
import { wireAt } from './tapes.ts'

/*
 * Messages that another API can express are not read before a provider of another API gets them.
 * What the outline says of such a request is what its whole form says.
 */

const SAMPLES_MIN = 80
const RUNS = { numRuns: 500, seed: 7 }
const OWN = new Set(['responses', 'gemini'])

/** What decides who can serve the request, and what it may cost. */
function factsOf(chat: JsonRecord, refusal: unknown): JsonRecord {
  const format = member(chat['response_format'], 'type')
  const tools = listOf(chat['tools']).map((tool) => [
    member(tool, 'type'),
    member(member(tool, 'function'), 'name'),
  ])
  const settings = omit(chat, 'messages', 'tools', 'response_format')
  const isPrefilled = hasPrefill({ outline: chat })
  return { settings, format, tools, media: mediaOf(chat), isPrefilled, refusal }
}

/** Whether the messages were left unread; null for a request that is refused at once. */
function checkRequest(dialect: ClientDialect, body: JsonRecord): boolean | null {
  const request = finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(body)), {}))
  if (isRequestProblem(request) || !OWN.has(request.native?.dialect ?? '')) return null
  const { outline, native } = request
  const obstacle = native?.obstacle ?? null
  expect(factsOf(outline, obstacle)).toEqual(
    factsOf(obstacle === null ? request.json() : outline, request.refusal?.() ?? null),
  )
  const [first, ...others] = listOf(outline['messages'])
  return obstacle === null && member(first, 'content') === '' && others.length === 0
}

test('an outline says of every sample what its form says', () => {
  const unread = sampleRequests().filter(({ dialect, body }) => checkRequest(dialect, body))
  expect(unread.length).toBeGreaterThan(SAMPLES_MIN)
})

const text = fc.constantFrom('', 'Go on.', 'x'.repeat(5000))
const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
const part = fc.oneof(
  text.map((said): unknown => ({ type: 'input_text', text: said })),
  fc.constantFrom(image, { type: 'input_file', file_id: 'file-1' }, { type: 'hologram' }, 5),
)
const content = fc.oneof(text, fc.array(part, { maxLength: 2 }), fc.constantFrom(null, 7))
const callId = fc.constantFrom('call_1', 'call_2')
const item = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'developer', 'robot'), content }),
  fc.record({
    type: fc.constantFrom('function_call', 'custom_tool_call', 'shell_call', 'web_search_call'),
    call_id: callId,
    name: fc.constantFrom('', 'look'),
    arguments: text,
    input: text,
  }),
  fc.record({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output', 'shell_call_output'),
    call_id: callId,
    output: content,
  }),
  fc.constantFrom(
    null,
    { type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
    { type: 'image_generation_call', id: 'ig_1', result: 'iVBORw0KGgo=' },
    { type: 'item_reference', id: 'msg_1' },
    { type: 'compaction_trigger' },
    { type: 'additional_tools', tools: [{ type: 'function', name: 'look' }] },
  ),
)

test('an outline of Responses says what the form of any input says', () => {
  const { dialect } = wireAt('/v1/responses')
  const checkInput = (input: unknown) => {
    checkRequest(dialect, { model: 'gpt-5.4', input })
  }
  fc.assert(fc.property(fc.oneof(text, fc.array(item, { maxLength: 6 })), checkInput), RUNS)
})

const geminiPart = fc.oneof(
  text.map((said): unknown => ({ text: said })),
  fc.constantFrom(
    { functionCall: { name: 'look', args: {} } },
    { function_call: { name: '' }, thoughtSignature: 'CiQB' },
    { functionResponse: { name: 'look', response: { output: 'seen' } } },
    { functionResponse: { name: 'look', parts: [{ inlineData: { mimeType: 'image/png' } }] } },
    { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    { file_data: { file_uri: 'https://example.com/a.pdf' } },
    { text: 'Thinking', thought: true },
    { executableCode: { code: 'print(1)' } },
    { hologram: {} },
    null,
  ),
)
const geminiContent = fc.oneof(
  fc.record(
    {
      role: fc.constantFrom('user', 'model', 'function', '', 'robot'),
      parts: fc.oneof(fc.array(geminiPart, { maxLength: 3 }), fc.constantFrom('text', null)),
    },
    { requiredKeys: ['parts'] },
  ),
  fc.constantFrom(null, 5),
)

test('an outline of Gemini says what the form of any contents says', () => {
  const { dialect } = wireAt('/v1beta/models/gemini-3-pro:generateContent')
  const instruction = fc.constantFrom(undefined, { parts: [{ text: 'Be brief.' }] }, { parts: [] })
  const checkContents = (contents: unknown, systemInstruction: unknown) => {
    checkRequest(dialect, { contents, systemInstruction })
  }
  const both = { text: 'Seen.', functionResponse: { name: 'look', parts: 5 } }
  fc.assert(fc.property(fc.array(geminiContent, { maxLength: 5 }), instruction, checkContents), {
    ...RUNS,
    examples: [[[{ parts: [both] }], undefined]],
  })
})
