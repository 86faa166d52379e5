import { member } from '../bytes/json-value.ts'
import { TOKENS_PER_BYTE } from '../tokens/token-encodings.ts'
import type { PromptAddition } from './client-event.ts'

export type Tokens = { readonly text: number; readonly audio: number; readonly image: number }

export const NO_TOKENS: Tokens = { text: 0, audio: 0, image: 0 }

/**
 * OpenAI's guide to the costs of Realtime, 2026-08: user audio has ten tokens a second, model audio
 * twenty.
 */
const INPUT_TOKENS_PER_SECOND = 10
const OUTPUT_TOKENS_PER_SECOND = 20
const IMAGE_TOKENS_MAX = 1536
/** The largest context window of these models. Beyond it, the oldest content is dropped. */
const WINDOW_TOKENS = 128_000
/** Texts since the last report, which are counted if no report follows. */
const KEPT_BYTES_MAX = 128 * 1024
const MS = 1000

export const inputAudioTokens = (bytes: number, bytesPerSecond: number) =>
  Math.ceil((bytes / bytesPerSecond) * INPUT_TOKENS_PER_SECOND)

export const outputAudioTokens = (bytes: number, bytesPerSecond: number) =>
  Math.ceil((bytes / bytesPerSecond) * OUTPUT_TOKENS_PER_SECOND)

const add = (one: Tokens, other: Tokens): Tokens => ({
  text: one.text + other.text,
  audio: one.audio + other.audio,
  image: one.image + other.image,
})

const subtract = (all: Tokens, part: Tokens): Tokens => ({
  text: Math.max(0, all.text - part.text),
  audio: Math.max(0, all.audio - part.audio),
  image: Math.max(0, all.image - part.image),
})

function withinWindow({ text, audio, image }: Tokens): Tokens {
  const audioTokens = Math.min(audio, WINDOW_TOKENS)
  const imageTokens = Math.min(image, WINDOW_TOKENS - audioTokens)
  return {
    audio: audioTokens,
    image: imageTokens,
    text: Math.min(text, WINDOW_TOKENS - audioTokens - imageTokens),
  }
}

/** The state of a conversation when a response began. */
export type Mark = { readonly added: Tokens }

/**
 * Upper bound on the prompt tokens of the next response. The provider's last report is exact. Text
 * added since counts one token per byte, and audio counts by its length.
 */
export class Conversation {
  #reported = NO_TOKENS
  /** The part of `#added` that the last report covers. */
  #reportedAt = NO_TOKENS
  #added = NO_TOKENS
  #kept: { readonly upTo: number; readonly bytes: number; readonly text: string }[] = []
  #keptBytes = 0
  /** Bytes of texts that were too long to keep. */
  #droppedBytes = 0
  /** Audio tokens in the input buffer. */
  #pendingTokens = 0
  #appendedTokens = 0
  #speechStartMs: number | null = null
  #speechEndMs: number | null = null

  add({ text, textBytes, images }: PromptAddition, audioTokens: number) {
    this.#added = add(this.#added, {
      text: textBytes,
      audio: audioTokens,
      image: images * IMAGE_TOKENS_MAX,
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

  /** Audio was added to the input buffer. */
  appendAudio(tokens: number) {
    this.#pendingTokens += tokens
    this.#appendedTokens += tokens
  }

  get pending(): number {
    return this.#pendingTokens
  }

  /** Audio tokens ever added to the input buffer. */
  get appendedTokens(): number {
    return this.#appendedTokens
  }

  /** Audio before the speech is dropped. */
  speechStarted(atMs: number | null) {
    if (atMs === null) return
    this.#speechStartMs = atMs
    const before = Math.floor((atMs / MS) * INPUT_TOKENS_PER_SECOND)
    this.#pendingTokens = Math.min(this.#pendingTokens, Math.max(0, this.#appendedTokens - before))
  }

  speechStopped(atMs: number | null) {
    this.#speechEndMs = atMs
  }

  /** Turns the input buffer into an item; returns an upper bound on its tokens. */
  commit(): number {
    const [from, to] = [this.#speechStartMs, this.#speechEndMs]
    const speechMs = from === null || to === null ? Infinity : Math.max(0, to - from)
    const tokens = Math.min(
      this.#pendingTokens,
      Math.ceil((speechMs / MS) * INPUT_TOKENS_PER_SECOND),
    )
    this.#added = add(this.#added, { ...NO_TOKENS, audio: tokens })
    this.clear()
    return tokens
  }

  clear() {
    this.#pendingTokens = 0
    this.#speechStartMs = null
    this.#speechEndMs = null
  }

  mark(): Mark {
    return { added: this.#added }
  }

  /** Applies the usage reported for a response that began at the mark. */
  applyUsage({ added }: Mark, usage: unknown) {
    const reported = promptOf(usage)
    if (reported === null) return
    this.#reported = reported
    this.#reportedAt = added
    this.#kept = this.#kept.filter(({ upTo }) => upTo > added.text)
    this.#keptBytes = this.#kept.reduce((all, { bytes }) => all + bytes, 0)
    this.#droppedBytes = 0
  }

  /** Reported part of the text in `upperBound()`; the rest of that text is in bytes. */
  get reportedText(): number {
    return this.#reported.text
  }

  /** Upper bound on the tokens of a prompt sent now. */
  upperBound(): Tokens {
    const sinceReport = subtract(this.#added, this.#reportedAt)
    return withinWindow(
      add(add(this.#reported, sinceReport), { ...NO_TOKENS, audio: this.#pendingTokens }),
    )
  }

  /** Best estimate of the prompt tokens at the mark. */
  async estimateAt({ added }: Mark, countText: (text: string) => Promise<number>): Promise<Tokens> {
    const sinceReport = subtract(added, this.#reportedAt)
    const kept = this.#kept.filter(({ upTo }) => upTo <= added.text)
    const text = kept.map((piece) => piece.text).join('\n')
    const counted = text === '' ? 0 : await countText(text)
    const droppedTokens = Math.ceil(this.#droppedBytes * TOKENS_PER_BYTE)
    const textTokens = Math.min(sinceReport.text, counted + droppedTokens)
    return withinWindow(add(this.#reported, { ...sinceReport, text: textTokens }))
  }
}

/** Null if the report has no prompt tokens. */
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
