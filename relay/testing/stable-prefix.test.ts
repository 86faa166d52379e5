import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRecord, type JsonRecord } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat, type Provider } from './client-request.ts'
import {
  CLIENTS as WIRES,
  providerAt,
  requestTo,
  TARGETS,
  type Target,
} from './vendors/sent-requests.ts'
import { brokenRules } from './vendors/strict-vendor.ts'

/*
 * Vendors cache the beginning of a prompt. A turn must therefore send what the turn before has
 * sent, byte for byte, and append to it.
 */

type Turn = {
  readonly text: string
  readonly hasImage: boolean
  readonly thought: string | null
  readonly call: { readonly path: string; readonly result: string } | null
}

const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).map((said) => `x${said}`)
const turns = fc.array(
  fc.record({
    text,
    hasImage: fc.boolean(),
    thought: fc.option(text),
    call: fc.option(fc.record({ path: text, result: text })),
  }),
  { minLength: 2, maxLength: 5 },
)

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const TOOL = { name: 'Read', description: 'Reads a file.' }
const SYSTEM = 'You are a coding agent.'
const SIGNATURE = 'EpQBCkYIBRgC'
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const IMAGE_URL = `data:image/png;base64,${PNG}`

/** Claude Code's line for Anthropic's billing differs between its versions and threads. */
const billingLine = (turn: number) =>
  `x-anthropic-billing-header: cc_version=2.1.197.${turn}ab; cc_entrypoint=cli;`

type Wire = keyof typeof WIRES

const CLIENTS: readonly {
  wire: Wire
  bodyOf: (turns: readonly Turn[], model: string) => JsonRecord
}[] = [
  {
    wire: 'messages',
    bodyOf: (given, model) => ({
      model,
      max_tokens: 4096,
      stream: true,
      system: [
        { type: 'text', text: billingLine(given.length) },
        { type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } },
      ],
      tools: [{ ...TOOL, input_schema: SCHEMA }],
      messages: told(given, inMessages),
    }),
  },
  {
    wire: 'chat',
    bodyOf: (given, model) => ({
      model,
      stream: true,
      messages: [{ role: 'system', content: SYSTEM }, ...told(given, inChat)],
      tools: [{ type: 'function', function: { ...TOOL, parameters: SCHEMA } }],
    }),
  },
  {
    wire: 'gemini',
    bodyOf: (given) => ({
      systemInstruction: { parts: [{ text: SYSTEM }] },
      contents: told(given, inGemini),
      tools: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: SCHEMA }] }],
    }),
  },
  {
    wire: 'responses',
    bodyOf: (given, model) => ({
      model,
      stream: true,
      store: false,
      instructions: SYSTEM,
      input: told(given, inResponses),
      tools: [{ type: 'function', ...TOOL, parameters: SCHEMA, strict: false }],
    }),
  },
]

type Told = { readonly question: JsonRecord; readonly answer: readonly JsonRecord[] }

/** The last turn is the question only. */
const told = (given: readonly Turn[], write: (turn: Turn, index: number) => Told): JsonRecord[] =>
  given.flatMap((turn, index) => {
    const { question, answer } = write(turn, index)
    return index === given.length - 1 ? [question] : [question, ...answer]
  })

function inMessages({ text: said, hasImage, thought, call }: Turn, index: number): Told {
  const source = { type: 'base64', media_type: 'image/png', data: PNG }
  const image = hasImage ? [{ type: 'image', source }] : []
  const thinking =
    thought === null ? [] : [{ type: 'thinking', thinking: thought, signature: SIGNATURE }]
  const question = { role: 'user', content: [{ type: 'text', text: said }, ...image] }
  const spoken = [...thinking, { type: 'text', text: said }]
  if (call === null) return { question, answer: [{ role: 'assistant', content: spoken }] }
  const id = `toolu_${index}`
  const use = { type: 'tool_use', id, name: 'Read', input: { path: call.path } }
  const answer = [
    { role: 'assistant', content: [...spoken, use] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: call.result }] },
    { role: 'assistant', content: [{ type: 'text', text: call.result }] },
  ]
  return { question, answer }
}

function inChat({ text: said, hasImage, thought, call }: Turn, index: number): Told {
  const image = hasImage ? [{ type: 'image_url', image_url: { url: IMAGE_URL } }] : []
  const question = { role: 'user', content: [{ type: 'text', text: said }, ...image] }
  const reasoning = thought === null ? {} : { reasoning_content: thought }
  const spoken = { role: 'assistant', content: said, ...reasoning }
  if (call === null) return { question, answer: [spoken] }
  const id = `call_${index}`
  const input = JSON.stringify({ path: call.path })
  const tool_calls = [{ id, type: 'function', function: { name: 'Read', arguments: input } }]
  const answer = [
    { ...spoken, tool_calls },
    { role: 'tool', tool_call_id: id, content: call.result },
    { role: 'assistant', content: call.result },
  ]
  return { question, answer }
}

function inGemini({ text: said, hasImage, thought, call }: Turn): Told {
  const image = hasImage ? [{ inlineData: { mimeType: 'image/png', data: PNG } }] : []
  const question = { role: 'user', parts: [{ text: said }, ...image] }
  const reasoning = thought === null ? [] : [{ text: thought, thought: true }]
  const spoken = [...reasoning, { text: said }]
  if (call === null) return { question, answer: [{ role: 'model', parts: spoken }] }
  const functionCall = { name: 'Read', args: { path: call.path } }
  const functionResponse = { name: 'Read', response: { output: call.result } }
  const answer = [
    { role: 'model', parts: [...spoken, { functionCall, thoughtSignature: SIGNATURE }] },
    { role: 'user', parts: [{ functionResponse }] },
    { role: 'model', parts: [{ text: call.result }] },
  ]
  return { question, answer }
}

function inResponses({ text: said, hasImage, thought, call }: Turn, index: number): Told {
  const image = hasImage ? [{ type: 'input_image', image_url: IMAGE_URL }] : []
  const question = { role: 'user', content: [{ type: 'input_text', text: said }, ...image] }
  const summary = [{ type: 'summary_text', text: thought }]
  const reasoning = thought === null ? [] : [{ type: 'reasoning', summary }]
  const says = (output: string) => ({
    role: 'assistant',
    content: [{ type: 'output_text', text: output }],
  })
  if (call === null) return { question, answer: [...reasoning, says(said)] }
  const call_id = `call_${index}`
  const input = JSON.stringify({ path: call.path })
  const answer = [
    ...reasoning,
    says(said),
    { type: 'function_call', call_id, name: 'Read', arguments: input },
    { type: 'function_call_output', call_id, output: call.result },
    says(call.result),
  ]
  return { question, answer }
}

/** What a vendor gets: the messages, and all that stands before them in its prompt. */
function promptOf(
  { wire, bodyOf }: (typeof CLIENTS)[number],
  { provider, target }: { provider: Provider; target: Target },
  given: readonly Turn[],
): { messages: unknown[]; before: JsonRecord } | null {
  const dialect = WIRES[wire]?.dialect()
  if (dialect === undefined) throw new Error(`no wire ${wire}`)
  const { model, vendor } = target
  const sent = encodeChat(dialect, provider, { model, body: bodyOf(given, model) })
  // A model that reads text only refuses a new image, and gets a note in place of an old one.
  if (isRequestProblem(sent)) return null
  const body: unknown = JSON.parse(sent.body.toString(), withoutMarks)
  if (!isRecord(body)) throw new Error('no JSON')
  const request = requestTo(vendor, { ...sent, body })
  const isRefused =
    wire === 'chat' &&
    request !== null &&
    brokenRules(vendor, request).some(({ id }) => id === 'DS-009')
  if (isRefused) return null
  const { messages, contents, input, system, systemInstruction, instructions, tools } = body
  const list = messages ?? contents ?? input
  if (!Array.isArray(list)) throw new Error('no messages')
  const [first, ...others] = Array.isArray(system) ? system : []
  const isBilling = JSON.stringify(first ?? '').includes('x-anthropic-billing-header')
  const ownSystem = isBilling ? others : system
  return { messages: list, before: { system: ownSystem, systemInstruction, instructions, tools } }
}

/** Marks of caches move with the end of the conversation, and are no part of the prompt. */
const withoutMarks = (name: string, value: unknown): unknown =>
  name === 'cache_control' ? undefined : value

const PAIRS = CLIENTS.flatMap((client) =>
  TARGETS.map((target: Target) => ({ client, target, name: `${client.wire} to ${target.model}` })),
)

test.each(PAIRS)('a turn appends to the prompt of the turn before: $name', ({ client, target }) => {
  const at = { provider: providerAt(target), target }
  fc.assert(
    fc.property(turns, (given) => {
      const earlier = promptOf(client, at, given.slice(0, -1))
      const later = promptOf(client, at, given)
      const mayBeRefused = given.slice(-2).some(({ hasImage }) => hasImage)
      if (!mayBeRefused) expect([earlier, later]).not.toContain(null)
      // Refused turns do not count as runs.
      fc.pre(earlier !== null && later !== null)
      expect(later.before).toEqual(earlier.before)
      const shared = later.messages.slice(0, earlier.messages.length)
      expect(JSON.stringify(shared)).toBe(JSON.stringify(earlier.messages))
    }),
    { numRuns: 15 },
  )
})
