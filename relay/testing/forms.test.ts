import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wireRulesOf } from '../src/cards/alphabets.ts'
import { cardOf, hostOf } from '../src/cards/card-of.ts'
import { UnsupportedParameterError } from '../src/codec/provider-codec.ts'
import { fit } from '../src/fit/fit.ts'
import type { ChatForm } from '../src/form/request.ts'
import { type JsonRecord, parseJson } from '../src/json-value.ts'
import { isRequestProblem } from '../src/request-problem.ts'
import { finish } from '../src/steps.ts'
import { readChatForm } from '../src/wires/openai-chat/read-request.ts'
import { writeChat } from '../src/wires/openai-chat/write-request.ts'
import { readTapes, wireAt } from './tapes.ts'
import { conversation } from './vendors/conversations.ts'
import { CLIENTS, providerAt, TARGETS } from './vendors/sent-requests.ts'

/* Properties of the form, over the requests of agents and over generated conversations. */

type Asked = { readonly name: string; readonly form: ChatForm }

const SAMPLE = { seed: 5, numRuns: 40 }

const generated = fc.sample(conversation, SAMPLE).flatMap((given, at) =>
  Object.entries(CLIENTS).map(([client, { dialect, write }]) => ({
    name: `${client} ${at}`,
    dialect: dialect(),
    body: write(given),
  })),
)

const recorded = readTapes().flatMap(({ agent, double, requests }) =>
  requests.map(({ path, body }, at) => ({
    name: `${agent} ${double} ${at}`,
    dialect: wireAt(path).dialect,
    body,
  })),
)

const asked = [...generated, ...recorded].map(({ name, dialect, body }): Asked => {
  const request = finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(body)), {}))
  if (isRequestProblem(request)) throw new Error(request.message)
  return { name, form: request.form?.get() ?? readChatForm(request.json()) }
})

const plain = (value: JsonRecord): unknown => parseJson(JSON.stringify(value))

/** Chat completions have no place for the blocks of reasoning that Anthropic signs. */
const withoutThinking = ({ messages, ...form }: ChatForm): ChatForm => ({
  ...form,
  messages: messages.map((message) =>
    message.role === 'assistant'
      ? {
          ...message,
          blocks: message.blocks.filter(
            (block) => block.type !== 'seal' || block.seal.kind !== 'thinking_block',
          ),
        }
      : message,
  ),
})

test('a written chat reads as the same form', () => {
  for (const { name, form } of asked) {
    const written = writeChat(withoutThinking(form))
    const read = readChatForm(JSON.parse(JSON.stringify(written)))
    expect(plain(writeChat(read)), name).toEqual(plain(written))
    expect(callsAndTools(read), name).toEqual(callsAndTools(form))
  }
})

const callsAndTools = ({ messages, tools }: ChatForm) => [
  messages.map(({ role, blocks }) => [
    role,
    blocks.filter(({ type }) => type === 'tool-call').length,
  ]),
  tools.map(({ type, name }) => [type, name]),
]

describe.each(TARGETS)('$vendor.name $model', (target) => {
  const { descriptor, channel } = providerAt(target)
  const { model } = target
  const card = cardOf(hostOf(descriptor, channel.baseUrl), model)
  const rules = { ...wireRulesOf({ ...descriptor, model }), isNearChat: true }

  test('a fitted form stays as it is', () => {
    let fittedCount = 0
    for (const { name, form } of asked) {
      const first = fitted(form)
      if (first === null) continue
      fittedCount += 1
      const second = fit(first, card, rules)
      expect(plain(second.form), name).toEqual(plain(first))
      expect([second.renames.size, second.notes], name).toEqual([0, []])
    }
    expect(fittedCount).toBeGreaterThan(SAMPLE.numRuns)
  })

  /** Null for a refusal. */
  function fitted(form: ChatForm): ChatForm | null {
    try {
      return fit(form, card, rules).form
    } catch (error) {
      if (error instanceof UnsupportedParameterError) return null
      throw error
    }
  }
})
