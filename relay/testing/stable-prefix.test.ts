import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRecord, type JsonRecord } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { anthropicDialect } from '../src/wires/anthropic-messages/dialect.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { openaiDialect } from '../src/wires/openai-chat/dialect.ts'
import { encodeChat, type Provider } from './client-request.ts'
import { providerAt, TARGETS, type Target } from './vendors/sent-requests.ts'

/*
 * Vendors cache the beginning of a prompt. A turn must therefore send what the turn before has
 * sent, byte for byte, and append to it.
 */

type Turn = { readonly text: string; readonly call: { path: string; result: string } | null }

const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).map((said) => `x${said}`)
const turns = fc.array(
  fc.record({
    text,
    call: fc.option(fc.record({ path: text, result: text }), { nil: null }),
  }),
  { minLength: 2, maxLength: 5 },
)

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const SYSTEM = 'You are a coding agent.'

/** Claude Code's line for Anthropic's billing differs between its versions and threads. */
const billingLine = (turn: number) =>
  `x-anthropic-billing-header: cc_version=2.1.197.${turn}ab; cc_entrypoint=cli;`

const CLIENTS: readonly {
  name: string
  dialect: ClientDialect
  bodyOf: (turns: readonly Turn[], model: string) => JsonRecord
}[] = [
  {
    name: 'Anthropic',
    dialect: anthropicDialect,
    bodyOf: (given, model) => ({
      model,
      max_tokens: 4096,
      stream: true,
      system: [
        { type: 'text', text: billingLine(given.length) },
        { type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } },
      ],
      tools: [{ name: 'Read', description: 'Reads a file.', input_schema: SCHEMA }],
      messages: given.flatMap(anthropicTurn),
    }),
  },
  {
    name: 'OpenAI',
    dialect: openaiDialect,
    bodyOf: (given, model) => ({
      model,
      stream: true,
      messages: [{ role: 'system', content: SYSTEM }, ...given.flatMap(openaiTurn)],
      tools: [
        {
          type: 'function',
          function: { name: 'Read', description: 'Reads a file.', parameters: SCHEMA },
        },
      ],
    }),
  },
]

/** The last turn is the question only. */
function anthropicTurn({ text: said, call }: Turn, index: number, all: readonly Turn[]) {
  const question = { role: 'user', content: said }
  if (index === all.length - 1) return [question]
  if (call === null)
    return [question, { role: 'assistant', content: [{ type: 'text', text: said }] }]
  const id = `toolu_${index}`
  return [
    question,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: said },
        { type: 'tool_use', id, name: 'Read', input: { path: call.path } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: call.result }] },
    { role: 'assistant', content: [{ type: 'text', text: call.result }] },
  ]
}

function openaiTurn({ text: said, call }: Turn, index: number, all: readonly Turn[]) {
  const question = { role: 'user', content: said }
  if (index === all.length - 1) return [question]
  if (call === null) return [question, { role: 'assistant', content: said }]
  const id = `call_${index}`
  const input = JSON.stringify({ path: call.path })
  return [
    question,
    {
      role: 'assistant',
      content: said,
      tool_calls: [{ id, type: 'function', function: { name: 'Read', arguments: input } }],
    },
    { role: 'tool', tool_call_id: id, content: call.result },
    { role: 'assistant', content: call.result },
  ]
}

/** What a vendor gets: the messages, and all that stands before them in its prompt. */
function promptOf(
  { dialect, bodyOf }: (typeof CLIENTS)[number],
  { provider, model }: { provider: Provider; model: string },
  given: readonly Turn[],
): { messages: unknown[]; before: JsonRecord } {
  const sent = encodeChat(dialect, provider, { model, body: bodyOf(given, model) })
  if (isRequestProblem(sent)) throw new Error(sent.message)
  const body: unknown = JSON.parse(sent.body.toString(), withoutMarks)
  if (!isRecord(body)) throw new Error('no JSON')
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
  TARGETS.map((target: Target) => ({ client, target, name: `${client.name} to ${target.model}` })),
)

test.each(PAIRS)('a turn appends to the prompt of the turn before: $name', ({ client, target }) => {
  const at = { provider: providerAt(target), model: target.model }
  fc.assert(
    fc.property(turns, (given) => {
      const earlier = promptOf(client, at, given.slice(0, -1))
      const later = promptOf(client, at, given)
      expect(later.before).toEqual(earlier.before)
      const shared = later.messages.slice(0, earlier.messages.length)
      expect(JSON.stringify(shared)).toBe(JSON.stringify(earlier.messages))
    }),
    { numRuns: 15 },
  )
})
