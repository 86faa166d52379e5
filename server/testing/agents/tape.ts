import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isRecord, type JsonRecord, parseJson } from '../../../relay/src/bytes/json-value.ts'
import { READABLE_CIPHER } from '../../../relay/src/wires/openai-responses/testing/readable-cipher.ts'
import { formatJson } from '../../../relay/testing/format-json.ts'
import { type Tape, tapeFile } from '../../../relay/testing/tapes.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import type { Place } from './agents.ts'
import type { Sent } from './recorder.ts'

/*
 * Makes tapes of what an agent has sent. Two recordings of the same version are equal: whatever
 * belongs to the machine, the day or the session is replaced.
 */

/** The server of the agents has this key, so that tapes can be read without it. */
export const SECRET_KEY = 'a secret of the agents only'
const ROOT = 1
const CIPHER = deriveSecrets(SECRET_KEY).contentCipherFor(ROOT)

type Request = Tape['requests'][number]

const CHAT = /^\/(?:v1\/(?:chat\/completions|responses|messages)|v1beta\/.*enerateContent)(?:\?|$)/
const HEADERS = /^(?:content-encoding|anthropic-(?:beta|version)|(?:x-.*)?session.*|thread-id)$/
/** Longer texts are cut. OpenAI's bound for descriptions of tools, 1024, stays within. */
const TEXT_MAX = 1100

type Session = {
  readonly sent: readonly Sent[]
  readonly place: Pick<Place, 'url' | 'home' | 'work'>
}

export function writeTape(head: Omit<Tape, 'requests'>, session: Session): void {
  const file = tapeFile(head)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, formatJson({ ...head, requests: tapeRequests(session) }))
}

/** The chats of a session, without those that a later one repeats. */
export function tapeRequests({ sent, place }: Session): Request[] {
  const all = sent.filter((one) => CHAT.test(one.path)).flatMap(readRequest)
  const requests = all.filter((one, index) => !isBeginning(one, all.slice(index + 1)))
  return normalized(requests, place)
}

function readRequest({ path: at, headers, body }: Sent): Request[] {
  const json = parseJson(body.toString())
  if (!isRecord(json)) return []
  const kept = Object.entries(headers).filter(([name]) => HEADERS.test(name))
  const texts = kept.map(([name, value]) => [name, String(value)] as const)
  return [{ path: at, headers: Object.fromEntries(texts), body: sorted(json) }]
}

/** Codex writes this member in a random order. */
function sorted(body: JsonRecord): JsonRecord {
  const metadata = body['client_metadata']
  if (!isRecord(metadata)) return body
  const members = Object.entries(metadata).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { ...body, client_metadata: Object.fromEntries(members) }
}

/** A later request repeats it, with more turns. */
const isBeginning = (request: Request, later: readonly Request[]) =>
  later.some(({ path: at, body }) => at === request.path && continues(body, request.body))

const TURNS = ['messages', 'contents', 'input']
/** Members of the turn rather than of the conversation. */
const OF_TURN = ['client_metadata']

function continues(body: JsonRecord, earlier: JsonRecord): boolean {
  const names = new Set([...Object.keys(body), ...Object.keys(earlier)])
  return [...names].every((name) => {
    const [now, before] = [body[name], earlier[name]]
    if (OF_TURN.includes(name)) return true
    if (!TURNS.includes(name)) return isSame(now, before)
    if (!Array.isArray(now) || !Array.isArray(before)) return false
    return isSame(now.slice(0, before.length), before)
  })
}

const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(withoutMarks(one)) === JSON.stringify(withoutMarks(other))

/** Marks of the prompt cache move to the newest turn, and a marked text becomes a list. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) {
    const only: unknown = value[0]
    const isText = value.length === 1 && isRecord(only) && only['type'] === 'text'
    return isText ? only['text'] : value.map(withoutMarks)
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).filter(([name]) => name !== 'cache_control')
  return Object.fromEntries(members.map(([name, member]) => [name, withoutMarks(member)]))
}

function normalized(requests: readonly Request[], place: Session['place']): Request[] {
  const replaced = textReplacer(place)
  const normalize = (name: string, value: unknown) => {
    if (typeof value !== 'string' || name === 'anthropic-version') return value
    return name === 'encrypted_content' ? readableContent(value, replaced) : cut(replaced(value))
  }
  // Safe because only texts are replaced by texts.
  return JSON.parse(JSON.stringify(requests, normalize)) as Request[]
}

const PREFIX = /^tg2_/

/** Reasoning that the gateway has encrypted names calls by their ids. */
function readableContent(encrypted: string, replaced: (text: string) => string): string {
  const text = PREFIX.test(encrypted) ? CIPHER.decrypt(encrypted.replace(PREFIX, '')) : null
  return text === null ? encrypted : `tg2_${READABLE_CIPHER.encrypt(replaced(text))}`
}

/** Other than prose, a long text means something to the gateway: JSON, or a signature. */
function cut(text: string): string {
  const isProse = /\s/.test(text) && parseJson(text) === undefined
  if (text.length <= TEXT_MAX || !isProse) return text
  return `${text.slice(0, TEXT_MAX)}… (${text.length} characters)`
}

/** Ids of sessions, installations, requests and calls, by their first digits in a tape. */
const IDS: readonly (readonly [RegExp, string])[] = [
  [
    /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/g,
    '00000000-0000-4000-8000-000000000',
  ],
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g, '0'.repeat(61)],
  [/(?<!\d)20\d{27,29}(?!\d)/g, `2026${'0'.repeat(24)}`],
  [/(?<!\d)1\d{12}(?!\d)/g, '1767225600'],
  [/(?<=\b(?:ses|msg|prt)_)[0-9A-Za-z]{26}\b/g, '0'.repeat(23)],
  [/(?<=Chunk ID: )[0-9a-f]{6}/g, '000'],
]
const NUMBER_DIGITS = 3
const DAY =
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:[A-Z][a-z]+ \d{1,2},?|\d{1,2} [A-Z][a-z]+) \d{4}\b/g
/** Not part of a name, such as that of a beta. */
const DATE = /(?<![\w-])20\d\d-\d\d-\d\d(?:T[\d:.]+Z)?/g

function textReplacer({ url, home, work }: Session['place']): (text: string) => string {
  const numbers = new Map<string, number>()
  const numberOf = (id: string) => {
    const number = numbers.get(id) ?? numbers.size + 1
    numbers.set(id, number)
    return String(number).padStart(NUMBER_DIGITS, '0')
  }
  return (text) => {
    const known = text
      .replaceAll(work, '/home/agent/work')
      .replaceAll(home, '/home/agent')
      .replaceAll(url, 'http://gateway')
      .replaceAll(DAY, 'Thu Jan 01 2026')
      .replaceAll(DATE, '2026-01-01')
      .replaceAll(/(?<=Wall time: )[\d.]+/g, '0.0000')
      .replaceAll(/(?<=OS Version: ).*/g, 'Linux')
    return IDS.reduce(
      (result, [pattern, head]) => result.replaceAll(pattern, (id) => head + numberOf(id)),
      known,
    )
  }
}
