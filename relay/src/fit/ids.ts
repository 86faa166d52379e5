import { isRecord, mapItems, textOf } from '../bytes/json-value.ts'
import type { Alphabet } from '../cards/model-card.ts'
import { callsOf, type Message } from '../form/request.ts'
import { digestOf, shortDigestOf } from './digest.ts'

/*
 * Ids of tool calls that another provider gave, in an alphabet that does not have their characters.
 * `functions.Read:0` becomes `tg_functions_2eRead_3a0`, from which the id can be restored.
 */

const PREFIX = 'tg_'
const ESCAPED = /^tg_(?:[A-Za-z0-9-]|_[0-9a-f]{2})+$/
/** Other ids were not escaped. */
const FOREIGN = /[^\w-]/
const HASHED = 'call_'
const HASH_LENGTH = 32

/** The same id if it is in the alphabet. An id that cannot be escaped in it is hashed. */
export function escapeId(id: string, { pattern, lengthMax }: Alphabet): string {
  const isAccepted = (text: string) => pattern.test(text) && text.length <= lengthMax
  if (id === '' || isAccepted(id)) return id
  const escaped = escapeBytes(id)
  if (!pattern.test(id) && isAccepted(escaped)) return escaped
  const hasSpace = lengthMax >= HASHED.length + HASH_LENGTH
  return hasSpace ? HASHED + digestOf(id, HASH_LENGTH) : shortDigestOf(id, lengthMax)
}

const escapeBytes = (id: string) =>
  PREFIX + id.replaceAll(/[^A-Za-z0-9-]/gu, (character) => hexOf(Buffer.from(character)))

const hexOf = (bytes: Buffer) =>
  Array.from(bytes, (byte) => `_${byte.toString(16).padStart(2, '0')}`).join('')

/** The id that the provider gave. Other ids stay the same. */
export function unescapeId(id: string): string {
  if (!ESCAPED.test(id)) return id
  const percents = id.slice(PREFIX.length).replaceAll('_', '%')
  try {
    const original = decodeURIComponent(percents)
    return FOREIGN.test(original) && escapeBytes(original) === id ? original : id
  } catch {
    return id
  }
}

/**
 * Gives each call an id in the alphabet, with its result. `isUnique`: no two calls of a
 * conversation may have the same id, which some providers restart in every turn.
 */
export class CallIds {
  readonly #alphabet: Alphabet
  readonly #isUnique: boolean
  readonly #taken = new Set<string>()
  /** How many calls had no id. */
  #nameless = 0
  /** How many calls had an id, by the id. */
  readonly #counts = new Map<string, number>()
  /** New ids of calls, by their given id, and how many of them have a result. */
  readonly #byGiven = new Map<string, { ids: string[]; answered: number }>()

  constructor(alphabet: Alphabet, { isUnique }: { isUnique: boolean }) {
    this.#alphabet = alphabet
    this.#isUnique = isUnique
  }

  ofCall(given: string): string {
    this.#nameless += given === '' ? 1 : 0
    const id = this.#free(escapeId(given || `call_${this.#nameless}`, this.#alphabet))
    this.#taken.add(id)
    const known = this.#byGiven.get(given)
    if (known === undefined) this.#byGiven.set(given, { ids: [id], answered: 0 })
    else known.ids.push(id)
    return id
  }

  /** Results of one id belong to its calls in their order. */
  ofResult(given: string): string {
    const known = this.#byGiven.get(given)
    if (known === undefined) return escapeId(given, this.#alphabet)
    const id = known.ids[known.answered] ?? known.ids.at(-1) ?? given
    known.answered += 1
    return id
  }

  #free(id: string): string {
    if (!this.#isUnique || !this.#taken.has(id)) return id
    let count = this.#counts.get(id) ?? 1
    let free = id
    while (this.#taken.has(free)) {
      count += 1
      free = escapeId(`${id}_${count}`, this.#alphabet)
    }
    this.#counts.set(id, count)
    return free
  }
}

/** The messages with ids in the alphabet; the same list if nothing changes. */
export const withCallIds = (messages: readonly Message[], ids: CallIds) =>
  mapItems(messages, (message) => withIds(message, ids))

function withIds(message: Message, ids: CallIds): Message {
  if (message.role === 'tool') return withId(message, 'callId', (id) => ids.ofResult(id))
  if (callsOf(message).length === 0 || message.role !== 'assistant') return message
  const blocks = mapItems(message.blocks, (block) =>
    block.type === 'tool-call' ? withId(block, 'id', (id) => ids.ofCall(id)) : block,
  )
  return blocks === message.blocks ? message : { ...message, blocks }
}

/** The same object if its id stays. */
export function withId<Item>(item: Item, name: string, change: (id: string) => string): Item {
  if (!isRecord(item)) return item
  const given = textOf(item[name])
  const id = change(given)
  return id === given ? item : { ...item, [name]: id }
}
