import { dataEvent } from './chat-events.ts'

const event = (choice: object) =>
  dataEvent({ choices: [{ index: 0, finish_reason: null, ...choice }] })

/**
 * Stands for output that OpenAI's format cannot express, in streams that are only observed. The
 * model is producing output, but no other channel can continue the stream from there. `text` is the
 * output, if it is text.
 */
export const opaqueDelta = (text = ''): Buffer =>
  event({ delta: text === '' ? { opaque: true } : { reasoning_content: text } })

/**
 * Stands for the end of such a piece. It has no text, but no other channel can continue from there:
 * `logprobs` makes its choice no plain text, as `isPlain` says.
 */
export const BLOCK_STOP = event({ delta: {}, logprobs: true })
