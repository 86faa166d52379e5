import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import { writeSpeech } from '../../tasks/speech-answer.ts'
import { rejectInstructions, rejectSpeed, readSpeechRequest } from '../../tasks/speech-request.ts'
import { maxSpeechTokens } from '../../tasks/speech.ts'
import { jsonCall } from '../../wires/gemini/address.ts'
import { candidatesOf, usageOf } from '../../wires/gemini/read-answer.ts'
import type { EncodedCall, TaskCall } from '../../wires/provider-codec.ts'

/*
 * Speech by Gemini's speech models (Google, "Speech generation", 2026-09). Audio comes as 16-bit
 * samples, 24,000 a second, which is OpenAI's `pcm`; for `wav` a header is put before them. Speech
 * is billed by tokens, 25 a second.
 */

const FORMATS = ['wav', 'pcm'] as const
const RATE = 24_000
const SAMPLE_BYTES = 2
const HEADER_BYTES = 44
/** No speech model takes a higher limit. */
const OUTPUT_TOKENS_MAX = 16_384

export function encodeSpeech(call: TaskCall): EncodedCall {
  const request = readSpeechRequest(call, FORMATS)
  rejectInstructions(request)
  rejectSpeed(request)
  const { input: text, voice: voiceName } = request
  const speechConfig =
    voiceName === ''
      ? {}
      : { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } } }
  const body = {
    contents: [{ role: 'user', parts: [{ text }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      // A text may ask for more speech than itself. The limit stops the speech at what is held.
      maxOutputTokens: Math.min(OUTPUT_TOKENS_MAX, maxSpeechTokens(call.model, text)),
      ...speechConfig,
    },
  }
  return jsonCall(call, 'generateContent', body)
}

export function decodeSpeech(body: Buffer, call: TaskCall): Buffer {
  const json = jsonIn(body)
  const parts = listOf(member(candidatesOf(json)[0]?.['content'], 'parts'))
  const samples = Buffer.concat(parts.map(samplesOf))
  if (samples.length === 0) return body
  const { format } = readSpeechRequest(call, FORMATS)
  const audio = format === 'wav' ? Buffer.concat([wavHeader(samples.length), samples]) : samples
  const usage = isRecord(json) ? usageOf(json['usageMetadata']) : null
  const reportedUsage = usage && {
    input_tokens: usage.promptTokens,
    output_tokens: usage.completionTokens,
    output_tokens_details: { audio_tokens: usage.completion?.audio_tokens },
  }
  return writeSpeech({ audio, format, usage: reportedUsage ?? undefined })
}

/** Audio of any other kind is ignored, because its format has no name in OpenAI's API. */
function samplesOf(part: unknown): Buffer {
  const inline = member(part, 'inlineData')
  const isPcm = /^audio\/(?:l16|pcm)\b/i.test(textOf(member(inline, 'mimeType')))
  const rate = /\brate=(\d+)/i.exec(textOf(member(inline, 'mimeType')))?.[1] ?? String(RATE)
  if (!isPcm || rate !== String(RATE)) return Buffer.alloc(0)
  return Buffer.from(textOf(member(inline, 'data')), 'base64')
}

/** RIFF header for one channel of such samples. */
function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * SAMPLE_BYTES, 28)
  header.writeUInt16LE(SAMPLE_BYTES, 32)
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}
