import { upstreamUrl, bearer, jsonHeaders } from '../../addresses/upstream-request.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { member, textOf, omitAbsent, pick } from '../../bytes/json-value.ts'
import { RELAY_PATHS } from '../../provider.ts'
import { writeSpeech } from '../../tasks/speech-answer.ts'
import { rejectInstructions, rejectSpeed, readSpeechRequest } from '../../tasks/speech-request.ts'
import type { TaskCodec } from '../../wires/provider-codec.ts'
import { mistral } from './descriptor.ts'

const FORMATS = ['mp3', 'wav', 'pcm', 'flac', 'opus'] as const
const FLOAT_BYTES = 4
const SAMPLE_BYTES = 2
const SAMPLE_MAX = 0x7fff

/**
 * Speech by Voxtral (docs.mistral.ai, "Audio Speech Endpoints", 2026-11). The voice is `voice_id`,
 * or is taken from a recording (`ref_audio`, Mistral's own). Audio comes as base64 in JSON.
 * Instructions and speeds are rejected.
 */
export const mistralSpeech = {
  encodeTask: (call) => {
    const request = readSpeechRequest(call, FORMATS)
    const { input, voice, format: response_format, json } = request
    rejectInstructions(request)
    rejectSpeed(request)
    const { baseUrl, key } = call.channel
    const body = omitAbsent({
      model: call.model,
      input,
      voice_id: voice || undefined,
      response_format,
      stream: false,
      ...pick(json, 'ref_audio'),
    })
    return {
      url: upstreamUrl({ descriptor: mistral, baseUrl, path: RELAY_PATHS.speech }) ?? '',
      headers: { ...bearer(key), ...jsonHeaders(false) },
      body: Buffer.from(JSON.stringify(body)),
    }
  },
  decodeTask: (body, call) => {
    const data = textOf(member(jsonIn(body), 'audio_data'))
    const audio = Buffer.from(data, 'base64')
    if (audio.length === 0) return body
    const { format } = readSpeechRequest(call, FORMATS)
    return writeSpeech({ audio: format === 'pcm' ? toInt16Samples(audio) : audio, format })
  },
} as const satisfies TaskCodec

/** Mistral's samples are 4-byte floats, OpenAI's are 2-byte integers; both have 24,000 a second. */
function toInt16Samples(floatSamples: Buffer): Buffer {
  const count = Math.floor(floatSamples.length / FLOAT_BYTES)
  const samples = Buffer.alloc(count * SAMPLE_BYTES)
  for (let at = 0; at < count; at += 1) {
    const sample = Math.min(Math.max(floatSamples.readFloatLE(at * FLOAT_BYTES), -1), 1)
    // NaN becomes silence.
    samples.writeInt16LE(Math.round(sample * SAMPLE_MAX) || 0, at * SAMPLE_BYTES)
  }
  return samples
}
