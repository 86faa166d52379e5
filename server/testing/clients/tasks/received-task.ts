import type { Received } from '../../every-type/received.ts'
import type { Answer } from '../../every-type/stand.ts'
import { mp3 } from '../../fakes/mp3-file.ts'

/**
 * What a provider understood of an image, audio, moderation or Realtime request, in
 * provider-neutral terms.
 */
export type ReceivedTask =
  | { task: 'draw'; prompt: string; size: string | null; count: number }
  | { task: 'redraw'; prompt: string; images: string[] }
  | { task: 'vary'; images: string[] }
  | { task: 'speak'; text: string; voice: string }
  | { task: 'hear'; audio: Buffer; language: string | null; translates: boolean }
  | { task: 'judge'; texts: string[] }
  | { task: 'talk'; text: string; audio: Buffer }

export type Served = {
  /** Null for a follow-up call, such as a poll of a queued task. */
  received: ReceivedTask | null
  answer: Answer
}

/** A provider's wire format for images, audio, moderations and Realtime. */
export type TaskWire = {
  /** Null if the call is of another kind. Throws if the provider would reject the request. */
  serve: (call: Received) => Served | null | Promise<Served>
  /** The first messages of a new session, one per line. */
  greet?: (call: Received) => string
}

export const PROMPT = 'a cat'
export const CHANGE = 'a hat'
export const SIZE = '1024x1024'
/** SIZE as an aspect ratio, for Imagen. */
export const SHAPE = '1:1'
export const IMAGE_URL = 'https://images.example/1.png'
export const SPOKEN = 'Hello there'
export const AUDIO_SECONDS = 2
export const AUDIO = mp3(AUDIO_SECONDS)
export const WAV_HEAD_BYTES = 44
export const WAV = wav(AUDIO_SECONDS)
/** 8.1 s, billed as nine seconds. */
export const SPEECH = mp3(8.1)
export const SPEECH_SECONDS = 9
export const TRANSCRIPT = 'Good day'
export const SUBTITLES = `1\n00:00:00,000 --> 00:00:08,000\n${TRANSCRIPT}\n\n`
export const QUESTION = 'Who are you?'
/** Length of the audio that a session answers with. */
export const SOUND_BYTES = 4800
export const VERDICT = { flagged: true, categories: { violence: true } }

/** Usage of one small image of low quality. */
export const IMAGE_USAGE = {
  input_tokens: 50,
  output_tokens: 272,
  total_tokens: 322,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
}
export const SPEECH_USAGE = { input_tokens: 14, output_tokens: 101, total_tokens: 115 }
export const TRANSCRIPT_USAGE = {
  type: 'tokens',
  input_tokens: 100,
  input_token_details: { text_tokens: 10, audio_tokens: 90 },
  output_tokens: 20,
  total_tokens: 120,
}

export const json = (body: object): Answer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(body),
})

type TypedEvent = { type: string; [member: string]: unknown }

/** Server-sent events whose event name is the `type` of their data. */
export const typedEvents = (list: readonly TypedEvent[]): Answer => ({
  status: 200,
  type: 'text/event-stream',
  body: list.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''),
})

export const audio = (type: string, bytes: Buffer): Answer => ({ status: 200, type, body: bytes })

export type Form = { texts: Record<string, string>; files: Record<string, Buffer[]> }

/** Silence: 24,000 samples per second, 16 bits each. */
function wav(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * 48_000)
  const head = Buffer.alloc(WAV_HEAD_BYTES)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(24_000, 24)
  head.writeUInt32LE(48_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

/** Separates the text fields of a form from its files. */
export async function readForm({ headers, body }: Received): Promise<Form> {
  const type = headers['content-type'] ?? ''
  // oxlint-disable-next-line typescript/no-deprecated -- a parser independent of ours
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const read: Form = { texts: {}, files: {} }
  for (const [name, value] of form) {
    if (typeof value === 'string') read.texts[name] = value
    else (read.files[name] ??= []).push(Buffer.from(await value.arrayBuffer()))
  }
  return read
}
