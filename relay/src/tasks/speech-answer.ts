import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, member, textOf } from '../bytes/json-value.ts'
import { parseUsage, type Usage } from '../usage/usage.ts'
import { looksLikeText } from './task-observer.ts'

/*
 * Speech of providers that answer in JSON with the audio as text. Codecs write the format defined
 * here, so that reported usage is read and charged before the audio is extracted for the client.
 */

export type SpeechAnswer = {
  readonly audio: Buffer
  readonly contentType: string
  /** Set if the provider bills by the character. */
  readonly characters?: number | undefined
  readonly usage?: Usage | null
}

export const SPEECH_TYPES = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const

export type SpeechFormat = keyof typeof SPEECH_TYPES

/** `usage` uses OpenAI's names. */
export function writeSpeech({
  audio,
  format,
  characters,
  usage,
}: {
  audio: Buffer
  format: SpeechFormat
  characters?: unknown
  usage?: unknown
}): Buffer {
  const content_type = SPEECH_TYPES[format]
  return Buffer.from(
    JSON.stringify({ audio: audio.toString('base64'), content_type, characters, usage }),
  )
}

/** Null if the answer is not in this format or has no audio. */
export function parseSpeech(answer: Buffer): SpeechAnswer | null {
  const json = looksLikeText(answer) ? jsonIn(answer) : null
  const contentType = textOf(member(json, 'content_type'))
  const audio = Buffer.from(textOf(member(json, 'audio')), 'base64')
  const isKnown = Object.values<string>(SPEECH_TYPES).includes(contentType)
  if (!isRecord(json) || !isKnown || audio.length === 0) return null
  const { characters, usage } = json
  return {
    audio,
    contentType,
    // Spoken text has characters, so zero means that none were reported.
    characters:
      Number.isSafeInteger(characters) && Number(characters) > 0 ? Number(characters) : undefined,
    usage: parseUsage(usage),
  }
}

export function speechEvents({ audio }: SpeechAnswer, usage: Usage): Buffer {
  const { promptTokens: input_tokens, completionTokens: output_tokens } = usage
  const total_tokens = input_tokens + output_tokens
  const events = [
    { type: 'speech.audio.delta', audio: audio.toString('base64') },
    { type: 'speech.audio.done', usage: { input_tokens, output_tokens, total_tokens } },
  ]
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}
