import { type JsonRecord, textOf } from '../../bytes/json-value.ts'
import { ANTHROPIC_IDS } from '../../cards/alphabets.ts'
import { escapeId } from '../../fit/ids.ts'
import type { ToolCallDelta } from '../openai-chat/tool-call-deltas.ts'
import { thinkingBlock } from './write-answer.ts'

type Open =
  | { readonly kind: 'text' | 'thinking' }
  | { readonly kind: 'call'; readonly position: number; readonly isComplete: boolean }

type Emit = () => string[]

const THINKING = { type: 'thinking', thinking: '', signature: '' }

/**
 * Writes the events of a message's content blocks in sequence. The block of a tool call stays open
 * until its input is complete; other content waits until then.
 */
export class Blocks {
  #open: Open | null = null
  #index = -1
  /** Waiting content in block order. Keyed by tool call position, or null for text and thinking. */
  readonly #waiting = new Map<number | null, Emit[]>()
  readonly #calls = new Set<number>()
  /** Citations before their text. */
  readonly #citations: JsonRecord[] = []

  get callsTools(): boolean {
    return this.#calls.size > 0
  }

  text(text: string): string {
    if (text === '') return ''
    if (this.#open?.kind === 'text') return this.#textDelta(text)
    return this.#emitOrQueue(null, () => [
      ...this.#enter('text', { type: 'text', text: '' }),
      this.#textDelta(text),
      ...this.#cited(),
    ]).join('')
  }

  /** Citations of the open text, or of the next. */
  cite(citations: readonly JsonRecord[]): string[] {
    if (citations.length === 0) return []
    return this.#emitOrQueue(null, () => {
      for (const citation of citations) this.#citations.push(citation)
      return this.#open?.kind === 'text' ? this.#cited() : []
    })
  }

  #cited(): string[] {
    return this.#citations
      .splice(0)
      .map((citation) => this.#delta({ type: 'citations_delta', citation }))
  }

  thinking(thinking: string): string[] {
    return thinking === '' ? [] : this.#emitOrQueue(null, () => this.#thinking(thinking))
  }

  /** A complete signed block. Its text is written here only if no thinking block is open. */
  signedThinking(block: JsonRecord): string[] {
    return this.#emitOrQueue(null, () => this.#signed(block))
  }

  call(piece: ToolCallDelta): string[] {
    const { position } = piece
    const isKnown = this.#calls.has(position)
    this.#calls.add(position)
    // The block was closed when its input was complete, so later pieces are dropped.
    if (isKnown && !this.#isOpen(position) && !this.#waiting.has(position)) return []
    return this.#emitOrQueue(position, () => this.#call(piece))
  }

  end(): string[] {
    const waiting = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    return [...waiting.flatMap((emit) => emit()), ...this.#close()]
  }

  #emitOrQueue(call: number | null, emit: Emit): string[] {
    if (this.#isFree || (call !== null && this.#isOpen(call)))
      return [...emit(), ...this.#flushWaiting()]
    const others = this.#waiting.get(call)
    if (others === undefined) this.#waiting.set(call, [emit])
    else others.push(emit)
    return []
  }

  get #isFree(): boolean {
    return this.#open?.kind !== 'call' || this.#open.isComplete
  }

  #isOpen(position: number): boolean {
    return this.#open?.kind === 'call' && this.#open.position === position
  }

  /** Writes waiting content up to the next tool call whose input is incomplete. */
  #flushWaiting(): string[] {
    const events: string[] = []
    for (const [call, queued] of this.#waiting) {
      if (!this.#isFree) break
      this.#waiting.delete(call)
      for (const event of queued.flatMap((emit) => emit())) events.push(event)
    }
    return events
  }

  #thinking(thinking: string): string[] {
    return [
      ...this.#enter('thinking', THINKING),
      ...(thinking === '' ? [] : [this.#delta({ type: 'thinking_delta', thinking })]),
    ]
  }

  #signed(block: JsonRecord): string[] {
    const { type, thinking, signature, data } = thinkingBlock(block)
    if (type === 'redacted_thinking') {
      return [...this.#close(), this.#start({ type, data }), this.#stop()]
    }
    const opened = this.#open?.kind === 'thinking' ? [] : this.#thinking(textOf(thinking))
    return [...opened, ...this.#close(signature)]
  }

  #call({ position, id, name, input, isComplete: isWhole }: ToolCallDelta): string[] {
    const startEvents = this.#isOpen(position)
      ? []
      : [...this.#close(), this.#start(toolUse(id, name))]
    this.#open = { kind: 'call', position, isComplete: isWhole }
    if (input === '') return startEvents
    return [...startEvents, this.#delta({ type: 'input_json_delta', partial_json: input })]
  }

  #enter(kind: 'text' | 'thinking', block: JsonRecord): string[] {
    if (this.#open?.kind === kind) return []
    const events = [...this.#close(), this.#start(block)]
    this.#open = { kind }
    return events
  }

  #start(block: JsonRecord): string {
    this.#index += 1
    return event('content_block_start', { index: this.#index, content_block: block })
  }

  /** Nearly every event of a stream. */
  #textDelta(text: string): string {
    const delta = `{"type":"text_delta","text":${JSON.stringify(text)}}`
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":${delta}}\n\n`
  }

  #delta(delta: JsonRecord): string {
    return event('content_block_delta', { index: this.#index, delta })
  }

  /** Clients send reasoning back only if its stream had a signature, so an empty one is written. */
  #close(signature: unknown = ''): string[] {
    if (this.#open === null) return []
    const isThinking = this.#open.kind === 'thinking'
    this.#open = null
    return [
      ...(isThinking ? [this.#delta({ type: 'signature_delta', signature })] : []),
      this.#stop(),
    ]
  }

  #stop(): string {
    return event('content_block_stop', { index: this.#index })
  }
}

/** Clients send the id back to any provider, Anthropic included. */
const toolUse = (id: string, name: string) => ({
  type: 'tool_use',
  id: escapeId(id, ANTHROPIC_IDS),
  name,
  input: {},
})

export const event = (type: string, rest: JsonRecord) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
