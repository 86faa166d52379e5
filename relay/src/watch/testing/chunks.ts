import { watchChat, type WatchOptions } from '../../wires/openai-chat/testing/chat.ts'

/* Streams of chat completions, as bytes of their events. */

type Piece = Record<string, unknown>

export const HEAD = {
  id: 'chatcmpl-b1',
  object: 'chat.completion.chunk',
  created: 1760000000,
  model: 'gpt-x',
}
export const USAGE = { prompt_tokens: 61, completion_tokens: 16, total_tokens: 77 }
export const DONE = 'data: [DONE]\n\n'

export const event = (value: unknown): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`

/** `more` are members of the event, `choice` those of its only choice. */
export const chunk = (delta: Piece, more: Piece = {}, choice: Piece = {}): string =>
  event({ ...HEAD, choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more })

export const finish = (reason: string, more: Piece = {}): string =>
  chunk({}, more, { finish_reason: reason })

export const usageEvent = event({ ...HEAD, choices: [], usage: USAGE })

/** The whole stream passes at once. */
export function watch(text: string | Buffer, options: WatchOptions = {}) {
  const stream = watchChat(options)
  const sent = [...stream.push(Buffer.from(text)), ...stream.end()]
  return { stream, sent: Buffer.concat(sent).toString() }
}
