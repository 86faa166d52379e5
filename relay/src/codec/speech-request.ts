import { type JsonRecord, isRecord, textOf } from '../json-value.ts'
import type { SpeechFormat } from '../tasks/spoken.ts'
import { type TaskCall, UnsupportedParameterError } from './provider-codec.ts'
import { taskJson } from './task-body.ts'

export type SpeechAsked = {
  readonly input: string
  readonly voice: string
  readonly format: SpeechFormat
  readonly speed: number
  readonly instructions: string
  readonly json: JsonRecord
}

const USUAL_SPEED = 1

/**
 * Reads a speech request for a provider that supports these formats. Throws
 * `UnsupportedParameterError`.
 */
export function speechAsked(
  call: Pick<TaskCall, 'body'>,
  formats: readonly [SpeechFormat, ...SpeechFormat[]],
): SpeechAsked {
  const json = taskJson(call)
  const { input, voice, response_format, speed, instructions } = json
  const asked = textOf(response_format) || 'mp3'
  const format = formats.find((known) => known === asked)
  if (format === undefined) {
    throw new UnsupportedParameterError(
      `This provider makes no speech as '${asked.slice(0, 20)}': ask for ${formats.join(' or ')}.`,
      'response_format',
    )
  }
  return {
    input: textOf(input),
    voice: textOf(isRecord(voice) ? voice['id'] : voice),
    format,
    speed: typeof speed === 'number' ? speed : USUAL_SPEED,
    instructions: textOf(instructions),
    json,
  }
}

/** For providers with a fixed speed. Throws `UnsupportedParameterError`. */
export function checkUsualSpeed({ speed }: SpeechAsked) {
  if (speed === USUAL_SPEED) return
  throw new UnsupportedParameterError(
    "This provider supports one speed only: leave 'speed' out.",
    'speed',
  )
}

/** For providers that take no instructions with the text. Throws `UnsupportedParameterError`. */
export function checkUninstructed({ instructions }: SpeechAsked) {
  if (instructions === '') return
  throw new UnsupportedParameterError(
    'This provider does not support speech instructions.',
    'instructions',
  )
}
