import { isRecord, type JsonRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import { PCM_BYTES_PER_SECOND } from '../tokens/speech-tokens.ts'

/** Session settings last reported by the provider; they bound the cost of a response. */
export type SessionSettings = {
  readonly inputBytesPerSecond: number
  readonly outputBytesPerSecond: number
  readonly transcriptionModel: string | null
  /** The provider starts a response by itself after the user has spoken. */
  readonly respondsAutomatically: boolean
  /** Limit per response; `Infinity` is the model's own limit. */
  readonly outputLimit: number
  /** Whether responses may be audio. */
  readonly allowsAudio: boolean
  /** Precedes every prompt; JSON. */
  readonly instructions: string
}

const G711_BYTES_PER_SECOND = 8000

/** In effect until the provider reports settings. */
export const INITIAL_SETTINGS: SessionSettings = {
  inputBytesPerSecond: PCM_BYTES_PER_SECOND,
  outputBytesPerSecond: PCM_BYTES_PER_SECOND,
  transcriptionModel: null,
  respondsAutomatically: true,
  outputLimit: Infinity,
  allowsAudio: true,
  instructions: '',
}

export function readSettings(session: unknown): SessionSettings {
  const audio = member(session, 'audio')
  const input = member(audio, 'input')
  const output = member(audio, 'output')
  return {
    inputBytesPerSecond: bytesPerSecond(
      member(input, 'format') ?? member(session, 'input_audio_format'),
    ),
    outputBytesPerSecond: bytesPerSecond(
      member(output, 'format') ?? member(session, 'output_audio_format'),
    ),
    transcriptionModel: textOf(transcriptionModelsOf(session)[0]) || null,
    respondsAutomatically: respondsAutomatically(
      isRecord(input) && Object.hasOwn(input, 'turn_detection') ? input : session,
    ),
    outputLimit: outputLimitOf(session) ?? Infinity,
    allowsAudio: audioAllowed(session) ?? true,
    instructions: promptPrefix(session),
  }
}

/**
 * Transcription models named in a session, without duplicates. The final protocol and the preview
 * have one place each, and a provider may read either.
 */
export function transcriptionModelsOf(session: unknown): readonly unknown[] {
  const input = member(member(session, 'audio'), 'input')
  const places = [member(input, 'transcription'), member(session, 'input_audio_transcription')]
  const given = places.map((place) => member(place, 'model') ?? '').filter((model) => model !== '')
  return [...new Set(given)]
}

/** For a session or one response. `Infinity` is the model's own limit; null if not set. */
export function outputLimitOf(terms: unknown): number | null {
  const limit = member(terms, 'max_output_tokens') ?? member(terms, 'max_response_output_tokens')
  if (limit === undefined || limit === null) return null
  return typeof limit === 'number' && Number.isInteger(limit) && limit > 0 ? limit : Infinity
}

/** For a session or one response; null if not set. */
export function audioAllowed(terms: unknown): boolean | null {
  const kinds = member(terms, 'output_modalities') ?? member(terms, 'modalities')
  return Array.isArray(kinds) ? kinds.includes('audio') : null
}

/** `turn_detection: null` turns speech detection off. */
function respondsAutomatically(input: unknown): boolean {
  const detection = member(input, 'turn_detection')
  return detection !== null && member(detection, 'create_response') !== false
}

/** A string in the preview, an object in the final protocol. */
function bytesPerSecond(format: unknown): number {
  const name = textOf(format) || textOf(member(format, 'type'))
  if (/g711|pcm[ua]/.test(name)) return G711_BYTES_PER_SECOND
  const rate = member(format, 'rate')
  const isPlausible = typeof rate === 'number' && rate >= 8000 && rate <= 48_000
  return isPlausible ? 2 * rate : PCM_BYTES_PER_SECOND
}

function promptPrefix(session: unknown): string {
  const tools = listOf(member(session, 'tools'))
  const parts: JsonRecord = {
    instructions: textOf(member(session, 'instructions')),
    ...(tools.length === 0 ? {} : { tools }),
    ...(isRecord(member(session, 'prompt')) ? { prompt: member(session, 'prompt') } : {}),
  }
  return JSON.stringify(parts)
}
