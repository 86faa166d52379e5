import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRecord, type JsonRecord, listOf, parseJson } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat } from './client-request.ts'
import { type Conversation, conversation } from './vendors/conversations.ts'
import { CLIENTS, providerAt, TARGETS } from './vendors/sent-requests.ts'

/* What every provider gets of conversations in every dialect. */

const SAMPLES = fc.sample(conversation, { seed: 11, numRuns: 10 })

const PAIRS = Object.entries(CLIENTS).flatMap(([client, { dialect, write }]) =>
  TARGETS.map((target) => {
    const provider = providerAt(target)
    const name = `${client} to ${target.vendor.name} ${target.model}`
    const send = (given: Conversation, edit = (body: JsonRecord): JsonRecord => body) => {
      const body = edit(write(given))
      const sent = encodeChat(dialect(), provider, { model: target.model, body })
      return isRequestProblem(sent) ? null : sent.body.toString()
    }
    return { name, write, send }
  }),
)

/** Longer than what an outline keeps; a seal still begins as its vendor's seals do. */
const LONG: readonly (readonly [short: string, long: string])[] = [
  'What is the weather?',
  'Go on.',
  'Hm.',
  'Let me see.',
  'Done.',
  '7 degrees',
  'Be brief.',
  'And now?',
  'EpQBCkYIBRgC',
  'CiQBjz1rXyab',
].map((text) => [text, `${text}${'天气 w'.repeat(150)}`])

const recordIn = (json: string): JsonRecord => {
  const value = parseJson(json)
  return isRecord(value) ? value : {}
}

const lengthened = (body: JsonRecord): JsonRecord =>
  recordIn(
    LONG.reduce(
      (text, [short, long]) => text.replaceAll(`"${short}"`, `"${long}"`),
      JSON.stringify(body),
    ),
  )

const shortened = (sent: string | null) =>
  LONG.reduce((text, [short, long]) => text?.replaceAll(long, short) ?? null, sent)

test.each(PAIRS)('$name: the length of texts changes nothing else', ({ send }) => {
  for (const given of SAMPLES) expect(shortened(send(given, lengthened))).toBe(send(given))
})

/** Settings that add an instruction at the end of a conversation. */
const PLAIN = { effort: undefined, choice: undefined, schema: undefined, stop: [] } as const

/** Conversations with at least one whole turn. A vendor may refuse an image that is new. */
const CONTINUED = fc.sample(conversation, { seed: 12, numRuns: 20 }).flatMap((given) => {
  const last = given.turns.at(-1)
  if (last === undefined) return []
  return [
    { ...given, ...PLAIN, turns: [...given.turns.slice(0, -1), { ...last, hasImage: false }] },
  ]
})

const LISTS = ['messages', 'contents', 'input'] as const

function listIn(body: JsonRecord) {
  const name = LISTS.find((one) => one in body) ?? expect.fail('no messages')
  return { name, list: listOf(body[name]) }
}

/** A prompt as far as it repeats: all that stands before its messages, and the messages. */
function promptIn(sent: string) {
  const body = recordIn(sent)
  const { system, systemInstruction, instructions, tools } = body
  const before = { system, systemInstruction, instructions, tools }
  return { before, messages: JSON.stringify(listIn(body).list) }
}

/** Vendors cache the beginning of a prompt, byte for byte. */
test.each(PAIRS)('$name: a turn appends to the prompt of the turn before', ({ write, send }) => {
  for (const given of CONTINUED) {
    const answered = write({ ...given, turns: given.turns.slice(0, -1), question: null })
    const count = listIn(answered).list.length + 1
    const untilQuestion = (body: JsonRecord) => {
      const { name, list } = listIn(body)
      return { ...body, [name]: list.slice(0, count) }
    }
    const [first, second] = [send(given, untilQuestion), send(given)]
    if (first === null || second === null) expect.fail(JSON.stringify(given))
    const [earlier, later] = [promptIn(first), promptIn(second)]
    expect(later.before).toEqual(earlier.before)
    expect(later.messages.startsWith(earlier.messages.slice(0, -1))).toBe(true)
  }
})
