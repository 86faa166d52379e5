import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  textOf,
  omitAbsent,
  pick,
} from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { nearestAspectRatio } from '../../tasks/aspect-ratio.ts'
import { writeSpeech } from '../../tasks/speech-answer.ts'
import { rejectInstructions, readSpeechRequest } from '../../tasks/speech-request.ts'
import { rejectImageStream, taskJson } from '../../tasks/task-body.ts'
import type { TaskCall } from '../../wires/provider-codec.ts'
import { isFailure } from './stream.ts'

/*
 * Speech and images (MiniMax, "Text to Speech (T2A) HTTP" and "Text to Image Generation", 2026-08).
 * Audio comes as hexadecimal digits in JSON, with the characters as MiniMax counts them: an
 * ideograph counts two.
 *
 *   speech   translated  input, voice (MiniMax's own ids), speed (0.5 to 2), response_format mp3,
 *                        pcm (24 kHz), flac, wav; MiniMax's own `language_boost`,
 *                        `pronunciation_dict`
 *            rejected    instructions, other formats and speeds
 *   images   translated  prompt, n, size (the nearest aspect ratio), response_format; MiniMax's own
 *                        `aspect_ratio`, `seed`, `prompt_optimizer`
 *            rejected    stream
 *            left out    quality, style, user, background, moderation
 */

const FORMATS = ['mp3', 'pcm', 'flac', 'wav'] as const
const SPEEDS = { min: 0.5, max: 2 }
/** Samples per second of OpenAI's `pcm`. */
const PCM_RATE = 24_000
const ASPECT_RATIOS = ['1:1', '16:9', '4:3', '3:2', '2:3', '3:4', '9:16', '21:9']

export function taskRequest(call: TaskCall): { readonly path: string; readonly body: JsonRecord } {
  return call.endpoint === 'speech' ? speechRequest(call) : imageRequest(call)
}

function speechRequest(call: TaskCall) {
  const request = readSpeechRequest(call, FORMATS)
  const { input, voice, format, speed, json } = request
  rejectInstructions(request)
  if (voice === '') throw parameterError("Name one of MiniMax's voices.", 'voice')
  if (speed < SPEEDS.min || speed > SPEEDS.max) {
    const rule = `This provider speaks at ${SPEEDS.min} to ${SPEEDS.max} times the usual speed.`
    throw parameterError(rule, 'speed')
  }
  return {
    path: '/v1/t2a_v2',
    body: {
      model: call.model,
      text: input,
      stream: false,
      output_format: 'hex',
      voice_setting: { voice_id: voice, speed },
      audio_setting: { format, channel: 1, ...(format === 'pcm' ? { sample_rate: PCM_RATE } : {}) },
      ...pick(json, 'language_boost', 'pronunciation_dict'),
    },
  }
}

function imageRequest(call: TaskCall) {
  const json = taskJson(call)
  rejectImageStream(json)
  const { prompt, n, size, response_format } = json
  const body = omitAbsent({
    model: call.model,
    prompt,
    n: n ?? 1,
    aspect_ratio: nearestAspectRatio(textOf(size), ASPECT_RATIOS),
    response_format: response_format === 'b64_json' ? 'base64' : 'url',
    ...pick(json, 'aspect_ratio', 'seed', 'prompt_optimizer'),
  })
  return { path: '/v1/image_generation', body }
}

export function decodeTask(body: Buffer, call: TaskCall): Buffer {
  const json = jsonIn(body)
  if (!isRecord(json) || isFailure(json)) return body
  return (call.endpoint === 'speech' ? speechOf(json, call) : imagesOf(json, call)) ?? body
}

function speechOf(json: JsonRecord, call: TaskCall): Buffer | null {
  const audio = Buffer.from(textOf(member(json['data'], 'audio')), 'hex')
  if (audio.length === 0) return null
  const { format } = readSpeechRequest(call, FORMATS)
  return writeSpeech({ audio, format, characters: member(json['extra_info'], 'usage_characters') })
}

function imagesOf({ data: answer }: JsonRecord, { now }: TaskCall): Buffer | null {
  const texts = (name: string) => listOf(member(answer, name)).map(textOf).filter(Boolean)
  const data = [
    ...texts('image_urls').map((url) => ({ url })),
    ...texts('image_base64').map((b64_json) => ({ b64_json })),
  ]
  if (data.length === 0) return null
  return Buffer.from(JSON.stringify({ created: Math.floor(now / 1000), data }))
}
