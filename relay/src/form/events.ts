import type { JsonRecord } from '../bytes/json-value.ts'

/** The head of an answer, the same in all its events. */
export type AnswerHead = {
  /** The provider's answer id, or the request id if the provider gives none. */
  readonly id: string
  /** Epoch seconds. */
  readonly created: number
  readonly model: string
}

/*
 * The events of a streamed answer, whatever the API of its provider and of its client. Stream
 * decoders of providers make them, observers and failover read them, and stream encoders of clients
 * write them. `choice` is the index of the answer's choice.
 */
export type StreamEvent =
  /** A choice begins. The head is the same for all choices. */
  | { readonly type: 'start'; readonly choice: number; readonly head: AnswerHead }
  | {
      readonly type: 'text'
      readonly choice: number
      readonly text: string
      /** In OpenAI's format; undefined if there are none. */
      readonly logprobs: unknown
    }
  | { readonly type: 'reasoning'; readonly choice: number; readonly text: string }
  | { readonly type: 'refusal'; readonly choice: number; readonly text: string }
  | { readonly type: 'seal'; readonly choice: number; readonly seal: Seal }
  | ToolCallEvent
  /** `image` is a part of type `image_url`, possibly with the provider's signature. */
  | { readonly type: 'image'; readonly choice: number; readonly image: unknown }
  | { readonly type: 'logprobs'; readonly choice: number; readonly logprobs: unknown }
  /**
   * Output that only clients of the provider's own API get, in streams that pass through. Its text,
   * if any, is counted.
   */
  | { readonly type: 'opaque'; readonly choice: number; readonly text: string }
  /** The end of such output. It has no text, but no other channel can continue from there. */
  | { readonly type: 'block-end'; readonly choice: number }
  | {
      readonly type: 'citations'
      readonly choice: number
      readonly citations: readonly Citation[]
    }
  /** Members of a chat delta that only clients of chat completions get. `text` is their text. */
  | {
      readonly type: 'other'
      readonly choice: number
      readonly delta: JsonRecord
      readonly text: string
    }
  /** Not final: reported while the answer is streaming, in case the stream breaks. */
  | {
      readonly type: 'usage'
      /** In OpenAI's format. */
      readonly report: JsonRecord
      readonly isFinal: boolean
    }
  | {
      readonly type: 'finish'
      readonly choice: number
      /** As OpenAI or the provider names it. */
      readonly reason: string
      /** The stop sequence that ended the choice, if the provider tells it. */
      readonly stopSequence: string | null
    }
  /** The stream failed. `body` is the provider's own, if there is one. */
  | { readonly type: 'error'; readonly body: JsonRecord }
  | { readonly type: 'done' }
  /** Keeps the connection alive. It is no sign of progress. */
  | { readonly type: 'comment' }

/** A tool call, or the next piece of its input. Only the first piece has id and name. */
export type ToolCallEvent = {
  readonly type: 'tool-call'
  readonly choice: number
  /** Index of the call in the choice; null if the provider leaves it out. */
  readonly index: number | null
  readonly id: string
  readonly name: string
  /** A piece of the JSON text; for a custom tool, of the text itself. */
  readonly input: string
  readonly isCustom: boolean
  /** The provider's signature of the call; undefined if unsigned. */
  readonly signature: unknown
}

/** What a piece of the answer's text is taken from. */
export type Citation = {
  /** Where the piece is in the text of the choice; both are 0 if unknown. */
  readonly start: number
  readonly end: number
  /** The address of a web page; empty for a document. */
  readonly url: string
  readonly title: string
  /** The text of the source; empty if unknown. */
  readonly quote: string
  /** The id of a stored document; empty for none. */
  readonly fileId: string
}

/** What a whole answer consists of, too. */
export type OutputItem = Extract<
  StreamEvent,
  {
    readonly type:
      | 'text'
      | 'reasoning'
      | 'refusal'
      | 'seal'
      | 'image'
      | 'tool-call'
      | 'citations'
      | 'other'
  }
>

/** What a provider wants back unread with the conversation. */
export type Seal = {
  /**
   * `thinking_block`: a signed block of Anthropic's. `reasoning_detail`: an entry as OpenRouter,
   * MiniMax and encrypted reasoning of Responses have it. `signature`: signs the message's text.
   */
  readonly kind: 'thinking_block' | 'reasoning_detail' | 'signature'
  readonly value: unknown
}

/** Turns the chunks of a provider's stream into events. */
export type EventDecoder = {
  readonly form: 'events'
  /** The event of a chunk that only has another delta; null for others. Keeps no bytes. */
  readonly nextDelta?: (chunk: Buffer) => StreamEvent | null
  readonly push: (chunk: Buffer) => StreamEvent[]
  readonly end: () => StreamEvent[]
}

export const DONE: StreamEvent = { type: 'done' }

/** The last event of a failed stream. */
export const errorEvent = (body: JsonRecord): StreamEvent => ({
  type: 'error',
  body: 'error' in body ? body : { error: body },
})

export const opaque = (text = ''): StreamEvent => ({ type: 'opaque', choice: 0, text })

export const BLOCK_END: StreamEvent = { type: 'block-end', choice: 0 }

export const COMMENT: StreamEvent = { type: 'comment' }

/** The output of an event as text, which is counted. */
export function outputText(event: StreamEvent): string {
  switch (event.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
    case 'opaque':
    case 'other':
      return event.text
    case 'tool-call':
      return event.name + event.input
    default:
      return ''
  }
}

/** What most events add to the output of the one before; null for other events. */
export function deltaOf(event: StreamEvent): string | null {
  if (event.type === 'text' || event.type === 'reasoning') return event.text
  return event.type === 'tool-call' && event.id === '' && event.name === '' ? event.input : null
}

/** The event with another delta. */
export function withDelta(event: StreamEvent, delta: string): StreamEvent {
  switch (event.type) {
    case 'text':
      return { type: 'text', choice: event.choice, text: delta, logprobs: event.logprobs }
    case 'reasoning':
      return { type: 'reasoning', choice: event.choice, text: delta }
    case 'tool-call':
      return { ...event, input: delta }
    default:
      return event
  }
}

/** Whether an event is nothing but plain text of the only choice, so that it can be continued. */
export function isPlain(event: StreamEvent): boolean {
  switch (event.type) {
    case 'text':
      return event.choice === 0 && event.logprobs === undefined
    case 'start':
    case 'finish':
      return event.choice === 0
    default:
      return false
  }
}

/** Whether an event carries a part of the answer, not just its beginning or its end. */
export function hasContent(event: StreamEvent): boolean {
  switch (event.type) {
    case 'text':
      return event.text !== ''
    case 'start':
    case 'logprobs':
    case 'block-end':
    case 'finish':
      return false
    default:
      return true
  }
}

/** Members that all events of a stream share. */
export type StreamHead = { readonly id: unknown; readonly created: unknown }
