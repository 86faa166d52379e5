import { z } from 'zod'
import { bodyOf, inTwo, pathOf } from '../../received-chat.ts'
import {
  audio,
  IMAGE_URL,
  json,
  readForm,
  type TaskWire,
  TRANSCRIPT,
  WAV,
} from '../../tasks/received-task.ts'

/*
 * Zhipu's v4 (docs.bigmodel.cn, 2026): one image at a time, by URL; speech as wav or as bare
 * samples; transcripts without a usage.
 */

const BASE = '/api/paas/v4/'

const drawRequest = z.strictObject({
  model: z.literal('cogview-3-flash'),
  prompt: z.string().min(1),
  size: z.string().optional(),
  quality: z.enum(['hd', 'standard']).optional(),
})
const speakRequest = z.strictObject({
  model: z.literal('glm-tts'),
  input: z.string().min(1).max(1024),
  // Any voice id: accounts may have cloned voices.
  voice: z.string().min(1),
  response_format: z.literal('wav'),
  speed: z.number().optional(),
})
const hearForm = z.strictObject({
  model: z.literal('glm-asr-2512'),
  prompt: z.string().optional(),
  stream: z.literal('true').optional(),
  // Not in Zhipu's API, which ignores them.
  language: z.string().optional(),
  temperature: z.literal('0').optional(),
  response_format: z.literal('json').optional(),
})

export const zhipuTasks: TaskWire = {
  serve: (call) => {
    switch (pathOf(call)) {
      case `${BASE}images/generations`: {
        const { prompt, size = null } = drawRequest.parse(bodyOf(call))
        const answer = json({ created: 1, data: [{ url: IMAGE_URL }] })
        return { received: { task: 'draw', prompt, size, count: 1 }, answer }
      }
      case `${BASE}audio/speech`: {
        const { input: text, voice } = speakRequest.parse(bodyOf(call))
        return { received: { task: 'speak', text, voice }, answer: audio('audio/wav', WAV) }
      }
      case `${BASE}audio/transcriptions`:
        return readForm(call).then(({ texts, files }) => {
          const { stream, language = null } = hearForm.parse(texts)
          const [sound = Buffer.alloc(0)] = files['file'] ?? []
          const asked = { task: 'hear' as const, audio: sound, language, translates: false }
          return { received: asked, answer: stream === undefined ? whole() : streamed() }
        })
      default:
        return null
    }
  },
}

const HEAD = { id: '1', created: 1, model: 'glm-asr-2512' }

const whole = () => json({ ...HEAD, request_id: 'r-1', text: TRANSCRIPT })

const streamed = () => {
  const events = [
    ...inTwo(TRANSCRIPT).map((delta) => ({ ...HEAD, type: 'transcript.text.delta', delta })),
    { ...HEAD, type: 'transcript.text.done', text: TRANSCRIPT },
  ]
  const body = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
  return { status: 200, type: 'text/event-stream', body }
}
