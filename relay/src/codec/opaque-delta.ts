import { dataEvent } from './chat-events.ts'

const event = (choice: object) =>
  dataEvent({ choices: [{ index: 0, finish_reason: null, ...choice }] })

/**
 * Stands for a piece of an answer that OpenAI's form has no word for, in streams that are only watched: the
 * model is speaking, and nobody else can go on from there. `text` is what it has written.
 */
export const opaqueDelta = (text = ''): Buffer =>
  event({ delta: text === '' ? { wordless: true } : { reasoning_content: text } })

/** Stands for the end of a piece: no word, but nobody else can go on from there. */
export const PIECE_END = event({ delta: {}, logprobs: true })
