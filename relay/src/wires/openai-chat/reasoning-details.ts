import { isRecord, type JsonRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import {
  type ContentCipher,
  decryptList,
  encryptList,
  type ListReader,
} from '../../form/content-cipher.ts'
import { isFlat } from '../../form/nested-json.ts'

/*
 * `reasoning_details` of OpenRouter and MiniMax: entries of reasoning, some of them encrypted or
 * signed, which the provider wants back unchanged
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens).
 */

/** The details of longer answers are dropped, as clients send them back with each request. */
const DETAILS_LENGTH_MAX = 1024 * 1024
/** Members whose pieces a stream spreads over several entries. */
const PIECES = ['text', 'summary', 'data'] as const

/** Gathers the details of one answer, complete or streamed. */
export class ReasoningDetails {
  readonly #entries: JsonRecord[] = []
  #length = 0

  /** The next entry of a stream, or a piece of the last. */
  push(entry: unknown): void {
    if (isRecord(entry) && isFlat(entry)) this.#add(entry)
  }

  pushAll(message: unknown): void {
    for (const entry of listOf(member(message, 'reasoning_details'))) this.push(entry)
  }

  /** Empty if there are none. */
  get entries(): readonly JsonRecord[] {
    return this.#length > DETAILS_LENGTH_MAX ? [] : this.#entries
  }

  #add(entry: JsonRecord): void {
    this.#length += JSON.stringify(entry).length
    if (this.#length > DETAILS_LENGTH_MAX) return
    const last = this.#entries.at(-1)
    if (last !== undefined && continues(entry, last))
      this.#entries.splice(-1, 1, joined(last, entry))
    else this.#entries.push(entry)
  }
}

/** Entries without an index are complete. */
const continues = (entry: JsonRecord, last: JsonRecord): boolean =>
  typeof entry['index'] === 'number' &&
  ['index', 'type'].every((name) => entry[name] === last[name]) &&
  (entry['id'] ?? last['id']) === last['id']

function joined(last: JsonRecord, next: JsonRecord): JsonRecord {
  const merged: Record<string, unknown> = { ...last, ...next }
  for (const name of PIECES) {
    if (typeof last[name] === 'string') merged[name] = last[name] + textOf(next[name])
  }
  return merged
}

/** Marks a signature that stands for details. No vendor's signature has a dot. */
const PREFIX = 'tg2.reasoning_details.'
/** Earlier versions encoded the details only: nothing proves where they are from. */
const UNENCRYPTED = 'tg1.reasoning_details.'

/**
 * The details, and the signatures of tool calls, as a signature: for clients that keep the
 * signatures of Anthropic's or Google's reasoning.
 */
export const encryptDetails = (entries: readonly JsonRecord[], cipher: ContentCipher): string =>
  encryptList(PREFIX, entries, cipher)

/** Whether a gateway made the signature. Otherwise a vendor did. */
export function isOwnSignature(signature: unknown): boolean {
  const text = textOf(signature)
  return text.startsWith(PREFIX) || text.startsWith(UNENCRYPTED)
}

/** Null for those of another user or installation, and for those that were altered. */
export const decryptDetails = (signature: string, reader: ListReader): JsonRecord[] | null =>
  decryptList(PREFIX, signature, reader)?.filter((entry) => isFlat(entry)) ?? null
