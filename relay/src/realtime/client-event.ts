import { EVENT_NODES_MAX } from '../bytes/json-limits.ts'
import { isRecord, type JsonRecord, member, omit } from '../bytes/json-value.ts'
import { writeJson } from '../bytes/json-write.ts'
import type { Steps } from '../bytes/steps.ts'
import { problem, type RequestProblem } from '../errors/request-problem.ts'
import { wordSet } from '../provider.ts'
import { misspelledAt } from '../wires/spelling.ts'
import { isTooLarge, readEvent, type RealtimeEvent } from './event.ts'
import { transcriptionModelsOf } from './settings.ts'

export type ClientEvent = RealtimeEvent & {
  /**
   * The event to send on. It is serialized again, so that a duplicate member cannot hide a value.
   */
  readonly frame: Buffer
  /** A transcription model the event requests in addition to the session's model. */
  readonly transcriptionModel: string | null
}

const TRANSCRIPTION_MODEL = 'session.audio.input.transcription.model'

/** Members in which a client could name a model other than the one its session is priced by. */
const MODEL_HOLDERS = ['session', 'response'] as const

/**
 * Members that decide what a session may do and costs. A provider that ignores case would honor a
 * spelling that the gateway does not read, so other spellings are rejected.
 */
const CASE_CHECKED = Object.entries({
  '': 'type session response item audio',
  session: `
    type model audio instructions tools prompt modalities output_modalities max_output_tokens
    max_response_output_tokens turn_detection input_audio_format output_audio_format
    input_audio_transcription
  `,
  'session.audio': 'input output',
  'session.audio.input': 'format transcription turn_detection',
  'session.audio.output': 'format',
  'session.audio.input.transcription': 'model',
  'session.input_audio_transcription': 'model',
  response: `
    model audio input instructions tools prompt conversation modalities output_modalities
    max_output_tokens max_response_output_tokens
  `,
}).map(([path, names]) => ({ path: path.split('.').filter(Boolean), names: wordSet(names) }))

export function* readClientEvent(
  frame: Buffer,
  model: string,
): Steps<ClientEvent | RequestProblem> {
  const event = yield* readEvent(frame)
  if (event === null) return isTooLarge(frame) ? TOO_LARGE : NO_EVENT
  const hidden = CASE_CHECKED.map(({ path, names }) => misspelledAt(event.json, path, names)).find(
    (problem) => problem !== null,
  )
  if (hidden !== undefined) return hidden
  const [transcriptionModel = null, ...others] = transcriptionModelsOf(
    member(event.json, 'session'),
  )
  if (transcriptionModel !== null && typeof transcriptionModel !== 'string') {
    return problem('The model of a transcription is a text.', TRANSCRIPTION_MODEL, 'invalid_event')
  }
  if (others.length > 0) {
    return problem(
      'A session has one model for transcription, and this event names two.',
      TRANSCRIPTION_MODEL,
      'model_mismatch',
    )
  }
  let { json } = event
  for (const holder of MODEL_HOLDERS) {
    const holderJson = member(json, holder)
    const namedModel = member(holderJson, 'model')
    if (!isRecord(holderJson) || namedModel === undefined) continue
    if (namedModel !== null && namedModel !== model) {
      return problem(
        `The model of a session cannot be changed: this one is for ${model}.`,
        `${holder}.model`,
        'model_mismatch',
      )
    }
    // The provider knows the model from the URL and may use another name for it.
    json = { ...json, [holder]: omit(holderJson, 'model') }
  }
  const encoded = yield* writtenInSteps(json, frame.length)
  if (encoded === null) return problem('The event is nested too deeply.', null, 'invalid_event')
  return {
    type: event.type,
    json,
    frame: encoded,
    transcriptionModel,
  }
}

function* writtenInSteps(json: JsonRecord, bytes: number): Steps<Buffer | null> {
  try {
    return yield* writeJson(json, bytes)
  } catch {
    return null
  }
}

const NO_EVENT = problem('An event is a JSON object with a type.', null, 'invalid_event')
const TOO_LARGE = problem(
  `An event has at most ${EVENT_NODES_MAX} JSON values.`,
  null,
  'event_too_large',
)

/** What an event adds to the prompt. */
export type PromptAddition = {
  readonly text: string
  /** Bytes of everything except audio and images; an upper bound on its tokens. */
  readonly textBytes: number
  readonly audioBytes: number
  readonly images: number
}

/** Members whose text the model reads. */
const TEXT_MEMBERS = wordSet('text transcript instructions arguments output name description')

/**
 * What an item, or the settings of one response, add to the prompt; all `maxBytes` bytes if that
 * cannot be determined.
 */
export function promptAddition(value: JsonRecord, maxBytes: () => number): PromptAddition {
  try {
    return parseAddition(value)
  } catch {
    return { text: '', textBytes: maxBytes(), audioBytes: 0, images: 0 }
  }
}

function parseAddition(value: JsonRecord): PromptAddition {
  const texts: string[] = []
  let audioLength = 0
  let images = 0
  const rest = JSON.stringify(value, (name, part: unknown) => {
    if (typeof part !== 'string') return part
    if (name === 'audio') {
      audioLength += part.length
      return ''
    }
    if (name === 'image_url') {
      images += 1
      return ''
    }
    if (TEXT_MEMBERS.has(name)) texts.push(part)
    return part
  })
  return {
    text: texts.join('\n'),
    textBytes: Buffer.byteLength(rest),
    audioBytes: Math.ceil((audioLength * 3) / 4),
    images,
  }
}
