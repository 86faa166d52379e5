import { member } from '../json-value.ts'
import { TOKENS_PER_BYTE } from '../token-encodings.ts'
import type { Addition } from './client-event.ts'

/** Tokens by what they are of. */
export type Tokens = { readonly text: number; readonly audio: number; readonly image: number }

export const NO_TOKENS: Tokens = { text: 0, audio: 0, image: 0 }

/** OpenAI's guide to the costs of Realtime, 2026-08: what a user says has ten tokens a second, an answer twenty. */
const HEARD_TOKENS_PER_SECOND = 10
const SPOKEN_TOKENS_PER_SECOND = 20
/** No model makes more of a picture. */
const IMAGE_TOKENS_MOST = 1536
/** The largest window of these models; beyond it the oldest is left out. */
const WINDOW_TOKENS = 128_000
/** Of texts since the last report, to be counted where none comes. */
const KEPT_BYTES_MAX = 128 * 1024
const MS = 1000

export const heardTokens = (bytes: number, bytesPerSecond: number) =>
  Math.ceil((bytes / bytesPerSecond) * HEARD_TOKENS_PER_SECOND)

export const spokenTokens = (bytes: number, bytesPerSecond: number) =>
  Math.ceil((bytes / bytesPerSecond) * SPOKEN_TOKENS_PER_SECOND)

const sum = (one: Tokens, other: Tokens): Tokens => ({
  text: one.text + other.text,
  audio: one.audio + other.audio,
  image: one.image + other.image,
})

const less = (all: Tokens, part: Tokens): Tokens => ({
  text: Math.max(0, all.text - part.text),
  audio: Math.max(0, all.audio - part.audio),
  image: Math.max(0, all.image - part.image),
})

/** Never more than fit into the window. */
function withinWindow({ text, audio, image }: Tokens): Tokens {
  const heard = Math.min(audio, WINDOW_TOKENS)
  const seen = Math.min(image, WINDOW_TOKENS - heard)
  return { audio: heard, image: seen, text: Math.min(text, WINDOW_TOKENS - heard - seen) }
}

/** How far a conversation had come when a response began. */
export type Mark = { readonly added: Tokens }

/**
 * How many tokens the prompt of the next response may have. What the provider last reported is known; what
 * has come since counts a token per byte of text, and sound by its length.
 */
export class Conversation {
  #known = NO_TOKENS
  /** Of all that was added ever, so much is in what is known. */
  #knownUpTo = NO_TOKENS
  #added = NO_TOKENS
  #kept: { readonly upTo: number; readonly bytes: number; readonly text: string }[] = []
  #keptBytes = 0
  /** Of texts that were too long to keep. */
  #droppedBytes = 0
  /** In the input buffer. */
  #pending = 0
  #heard = 0
  #speechStartMs: number | null = null
  #speechEndMs: number | null = null

  add({ text, textBytes, images }: Addition, audioTokens: number) {
    this.#added = sum(this.#added, {
      text: textBytes,
      audio: audioTokens,
      image: images * IMAGE_TOKENS_MOST,
    })
    const bytes = Buffer.byteLength(text)
    if (bytes === 0) return
    this.#kept.push({ upTo: this.#added.text, bytes, text })
    this.#keptBytes += bytes
    while (this.#keptBytes > KEPT_BYTES_MAX) {
      const dropped = this.#kept.shift()?.bytes ?? this.#keptBytes
      this.#keptBytes -= dropped
      this.#droppedBytes += dropped
    }
  }

  /** Sound came into the input buffer. */
  hear(tokens: number) {
    this.#pending += tokens
    this.#heard += tokens
  }

  /** Of sound in the input buffer. */
  get pending(): number {
    return this.#pending
  }

  /** Of all sound that ever came into the input buffer. */
  get heard(): number {
    return this.#heard
  }

  /** What came before the speech is not kept. */
  speechStarted(atMs: number | null) {
    if (atMs === null) return
    this.#speechStartMs = atMs
    const before = Math.floor((atMs / MS) * HEARD_TOKENS_PER_SECOND)
    this.#pending = Math.min(this.#pending, Math.max(0, this.#heard - before))
  }

  speechStopped(atMs: number | null) {
    this.#speechEndMs = atMs
  }

  /** The input buffer becomes an item; gives how many tokens it has at most. */
  commit(): number {
    const [from, to] = [this.#speechStartMs, this.#speechEndMs]
    const spokenMs = from === null || to === null ? Infinity : Math.max(0, to - from)
    const tokens = Math.min(this.#pending, Math.ceil((spokenMs / MS) * HEARD_TOKENS_PER_SECOND))
    this.#added = sum(this.#added, { ...NO_TOKENS, audio: tokens })
    this.clear()
    return tokens
  }

  /** The input buffer is empty. */
  clear() {
    this.#pending = 0
    this.#speechStartMs = null
    this.#speechEndMs = null
  }

  mark(): Mark {
    return { added: this.#added }
  }

  /** What the provider reported for a response to the conversation that began there. */
  learn({ added }: Mark, usage: unknown) {
    const reported = promptOf(usage)
    if (reported === null) return
    this.#known = reported
    this.#knownUpTo = added
    this.#kept = this.#kept.filter(({ upTo }) => upTo > added.text)
    this.#keptBytes = this.#kept.reduce((all, { bytes }) => all + bytes, 0)
    this.#droppedBytes = 0
  }

  /** Of the text in `most` so many tokens were reported; the others are bytes. */
  get reportedText(): number {
    return this.#known.text
  }

  /** No prompt has more tokens now. */
  most(): Tokens {
    const since = less(this.#added, this.#knownUpTo)
    return withinWindow(sum(sum(this.#known, since), { ...NO_TOKENS, audio: this.#pending }))
  }

  /** What the prompt had when the response there began, as near as can be known. */
  async countAt({ added }: Mark, countText: (text: string) => Promise<number>): Promise<Tokens> {
    const since = less(added, this.#knownUpTo)
    const kept = this.#kept.filter(({ upTo }) => upTo <= added.text)
    const text = kept.map((piece) => piece.text).join('\n')
    const counted = text === '' ? 0 : await countText(text)
    const beyond = Math.ceil(this.#droppedBytes * TOKENS_PER_BYTE)
    const textTokens = Math.min(since.text, counted + beyond)
    return withinWindow(sum(this.#known, { ...since, text: textTokens }))
  }
}

/** Null for a report that says nothing of the prompt. */
function promptOf(usage: unknown): Tokens | null {
  const all = count(member(usage, 'input_tokens'))
  if (all === 0) return null
  const details = member(usage, 'input_token_details')
  const audio = Math.min(all, count(member(details, 'audio_tokens')))
  const image = Math.min(all - audio, count(member(details, 'image_tokens')))
  return withinWindow({ audio, image, text: all - audio - image })
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0
