import { describe, expect, test } from 'vitest'
import { type JsonRecord, parseJson } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { wireRulesOf } from '../src/cards/alphabets.ts'
import { cardOf, hostOf } from '../src/cards/card-of.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { fit } from '../src/fit/fit.ts'
import { UnsupportedParameterError } from '../src/form/codec-errors.ts'
import {
  type AssistantBlock,
  type ChatForm,
  type Message,
  withoutSeals,
} from '../src/form/request.ts'
import { readChatForm } from '../src/wires/openai-chat/read-request.ts'
import { writeChat } from '../src/wires/openai-chat/write-request.ts'
import { sampleRequests } from './sample-requests.ts'
import { providerAt, TARGETS } from './vendors/sent-requests.ts'

/* Properties of the form, over every request of the repository and over generated conversations. */

type Asked = { readonly name: string; readonly form: ChatForm }

/** Fixtures, tapes and generated conversations; the other fixtures are refused, or no chats. */
const SAMPLES_MIN = 700

const asked = sampleRequests().flatMap(({ name, dialect, body }): Asked[] => {
  const request = finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(body)), {}))
  if (isRequestProblem(request)) return []
  try {
    return [{ name, form: request.form?.get() ?? readChatForm(request.json()) }]
  } catch (error) {
    if (error instanceof UnsupportedParameterError) return []
    throw error
  }
})

const plain = (value: JsonRecord): unknown => parseJson(JSON.stringify(value))

/**
 * What chat completions can say: neither blocks of reasoning that Anthropic signs nor marks of tool
 * results. A detail of reasoning comes first, a text that it divided is whole, and then come images
 * and calls.
 */
const sayable = ({ messages, ...form }: ChatForm): ChatForm => ({
  ...form,
  losses: undefined,
  messages: messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, name: '', cacheMark: undefined }
    if (message.role !== 'assistant') return message
    const details = message.blocks.filter(
      (block) => block.type === 'seal' && block.seal.kind === 'reasoning_detail',
    )
    const said = withoutSeals(message.blocks)
    const ordered = ORDER.flatMap((isNext) => said.filter(isNext))
    return { ...message, blocks: [...details, ...ordered] }
  }),
})

const ORDER: readonly ((block: AssistantBlock) => boolean)[] = [
  ({ type }) => type !== 'image' && type !== 'tool-call',
  ({ type }) => type === 'image',
  ({ type }) => type === 'tool-call',
]

test('a written chat reads as the same form', () => {
  expect(asked.length).toBeGreaterThan(SAMPLES_MIN)
  for (const { name, form } of asked) {
    const said = sayable(form)
    const read = readChatForm(JSON.parse(JSON.stringify(writeChat(said))))
    expect(plain(read), name).toEqual(plain(said))
  }
})

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
    expect(fittedCount).toBeGreaterThan(SAMPLES_MIN / 2)
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
