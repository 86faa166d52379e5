import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRecord, type JsonRecord, parseJson } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat } from './client-request.ts'
import { type Conversation, conversation } from './vendors/conversations.ts'
import { CLIENTS, providerAt, TARGETS } from './vendors/sent-requests.ts'

/* What every provider gets of conversations in every dialect. */

const SAMPLES = fc.sample(conversation, { seed: 11, numRuns: 10 })

/** Protocols near chat completions get the messages of their clients. */
const TAKES_CHAT: ReadonlySet<string> = new Set(['zhipu', 'minimax'])

const PAIRS = Object.entries(CLIENTS).flatMap(([client, { dialect, write, wires }]) =>
  TARGETS.map((target) => {
    const provider = providerAt(target)
    const name = `${client} to ${target.vendor.name} ${target.model}`
    const { dialect: wire } = provider.descriptor
    const isTranslated = !wires.includes(wire) && (client !== 'chat' || !TAKES_CHAT.has(wire))
    const send = (given: Conversation, edit = (body: JsonRecord): JsonRecord => body) => {
      const body = edit(write(given))
      const sent = encodeChat(dialect(), provider, { model: target.model, body })
      return isRequestProblem(sent) ? null : sent.body.toString()
    }
    return { name, isTranslated, send }
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

/** Conversations of which one is the other with a turn more. */
const CONTINUED = SAMPLES.flatMap((given): [Conversation, Conversation][] => {
  const last = given.turns.at(-1)
  if (last === undefined) return []
  const earlier = { ...given, ...PLAIN, turns: given.turns.slice(0, -1), question: last.asked }
  const later = { ...given, ...PLAIN, turns: [...earlier.turns, { ...last, hasImage: false }] }
  return [[earlier, later]]
})

const LISTS = ['messages', 'contents', 'input'] as const

/** The list of messages, without its closing bracket. */
function listIn(sent: string): string {
  const json = recordIn(sent)
  const list = LISTS.map((name) => json[name]).find(Array.isArray)
  return JSON.stringify(list).slice(0, -1)
}

const TRANSLATED = PAIRS.filter(({ isTranslated }) => isTranslated)

test.each(TRANSLATED)('$name: a prompt begins with that of the turn before', ({ send }) => {
  for (const [earlier, later] of CONTINUED) {
    const [first, second] = [send(earlier), send(later)]
    if (first === null || second === null) continue
    expect(listIn(second).startsWith(listIn(first))).toBe(true)
  }
})
