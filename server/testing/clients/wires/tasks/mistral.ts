import { z } from 'zod'
import { inTwo, pathOf } from '../../asked.ts'
import {
  json,
  readForm,
  SPEECH_SECONDS,
  type TaskWire,
  TRANSCRIPT,
  typedEvents,
} from '../../tasks/asked.ts'

/* Mistral's events are not OpenAI's, and it is paid by the second whatever tokens it tells. */

const hearForm = z.strictObject({
  model: z.literal('voxtral-mini-latest'),
  language: z.string().optional(),
  temperature: z.literal('0').optional(),
  stream: z.literal('true').optional(),
  // Not its own, and not heeded.
  response_format: z.literal('json').optional(),
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
    if (pathOf(call) !== '/v1/audio/transcriptions') return null
    return readForm(call).then(({ texts, files }) => {
      const { language = null, stream } = hearForm.parse(texts)
      const [sound = Buffer.alloc(0)] = files['file'] ?? []
      const asked = { task: 'hear' as const, audio: sound, language, translates: false }
      if (stream === undefined) return { asked, answer: json(TOLD) }
      const answer = typedEvents([
        { type: 'transcription.language', audio_language: 'en' },
        ...inTwo(TRANSCRIPT).map((text) => ({ type: 'transcription.text.delta', text })),
        { type: 'transcription.done', ...TOLD },
      ])
      return { asked, answer }
    })
  },
}
