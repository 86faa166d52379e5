import { type JsonRecord, isRecord, textOf } from '../bytes/json-value.ts'
import { parameterError } from '../form/codec-errors.ts'
import type { TaskCall } from '../wires/provider-codec.ts'
import type { SpeechFormat } from './speech-answer.ts'
import { taskJson } from './task-body.ts'

export type SpeechRequest = {
  readonly input: string
  readonly voice: string
  readonly format: SpeechFormat
  readonly speed: number
  readonly instructions: string
  readonly json: JsonRecord
}

const DEFAULT_SPEED = 1

/**
 * Reads a speech request for a provider that supports these formats. Throws
 * `UnsupportedParameterError`.
 */
export function readSpeechRequest(
  call: Pick<TaskCall, 'body'>,
  formats: readonly [SpeechFormat, ...SpeechFormat[]],
): SpeechRequest {
  const json = taskJson(call)
  const { input, voice, response_format, speed, instructions } = json
  const requestedFormat = textOf(response_format) || 'mp3'
  const format = formats.find((known) => known === requestedFormat)
  if (format === undefined) {
    throw parameterError(
      `This provider makes no speech as '${requestedFormat.slice(0, 20)}': ask for ${formats.join(' or ')}.`,
      'response_format',
    )
  }
  return {
    input: textOf(input),
    voice: textOf(isRecord(voice) ? voice['id'] : voice),
    format,
    speed: typeof speed === 'number' ? speed : DEFAULT_SPEED,
    instructions: textOf(instructions),
    json,
  }
}

/** For providers with a fixed speed. Throws `UnsupportedParameterError`. */
export function rejectSpeed({ speed }: SpeechRequest) {
  if (speed === DEFAULT_SPEED) return
  throw parameterError("This provider supports one speed only: leave 'speed' out.", 'speed')
}

/** For providers that take no instructions with the text. Throws `UnsupportedParameterError`. */
export function rejectInstructions({ instructions }: SpeechRequest) {
  if (instructions === '') return
  throw parameterError('This provider does not support speech instructions.', 'instructions')
}
