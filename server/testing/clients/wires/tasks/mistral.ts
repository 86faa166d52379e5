import { z } from 'zod'
import { bodyOf, inTwo, pathOf } from '../../received-chat.ts'
import {
  AUDIO,
  json,
  readForm,
  SPEECH_SECONDS,
  type TaskWire,
  TRANSCRIPT,
  typedEvents,
  WAV,
} from '../../tasks/received-task.ts'

/*
 * Mistral's events differ from OpenAI's. Transcripts are billed by the second, whatever tokens it
 * reports. Speech needs a voice id, and comes as data in JSON.
 */

const hearForm = z.strictObject({
  model: z.literal('voxtral-mini-latest'),
  language: z.string().optional(),
  temperature: z.literal('0').optional(),
  stream: z.literal('true').optional(),
  // Not in Mistral's API, which ignores it.
  response_format: z.literal('json').optional(),
})

const speakRequest = z.strictObject({
  model: z.literal('voxtral-mini-tts-2603'),
  input: z.string().min(1),
  voice_id: z.string().min(1),
  response_format: z.enum(['mp3', 'wav']),
  stream: z.literal(false),
})

const TOLD = {
  model: 'voxtral-mini-latest',
  text: TRANSCRIPT,
  language: 'en',
  segments: [],
  usage: {
    prompt_audio_seconds: SPEECH_SECONDS,
    prompt_tokens: 4,
    completion_tokens: 6,
    total_tokens: 200,
  },
}

export const mistralTasks: TaskWire = {
  serve: (call) => {
    if (pathOf(call) === '/v1/audio/speech') {
      const { input: text, voice_id: voice, ...request } = speakRequest.parse(bodyOf(call))
      const sound = request.response_format === 'wav' ? WAV : AUDIO
      const answer = json({ audio_data: sound.toString('base64') })
      return { received: { task: 'speak', text, voice }, answer }
    }
    if (pathOf(call) !== '/v1/audio/transcriptions') return null
    return readForm(call).then(({ texts, files }) => {
      const { language = null, stream } = hearForm.parse(texts)
      const [sound = Buffer.alloc(0)] = files['file'] ?? []
      const asked = { task: 'hear' as const, audio: sound, language, translates: false }
      if (stream === undefined) return { received: asked, answer: json(TOLD) }
      const answer = typedEvents([
        { type: 'transcription.language', audio_language: 'en' },
        ...inTwo(TRANSCRIPT).map((text) => ({ type: 'transcription.text.delta', text })),
        { type: 'transcription.done', ...TOLD },
      ])
      return { received: asked, answer }
    })
  },
}
