import { z } from 'zod'
import { sessionCreated } from '../../../fakes/realtime-upstream.ts'
import { PNG } from '../../client.ts'
import { bodyOf, inTwo, pathOf } from '../../received-chat.ts'
import {
  AUDIO,
  audio,
  type Form,
  IMAGE_URL,
  IMAGE_USAGE,
  json,
  readForm,
  type Served,
  SPEECH_SECONDS,
  SPEECH_USAGE,
  SUBTITLES,
  type TaskWire,
  TRANSCRIPT,
  TRANSCRIPT_USAGE,
  typedEvents,
  VERDICT,
  WAV,
} from '../../tasks/received-task.ts'
import { createSession } from './realtime.ts'

/* OpenAI's API. Azure has the same API at other paths. */

const drawRequest = z.discriminatedUnion('model', [
  z.strictObject({
    model: z.literal('dall-e-3'),
    prompt: z.string().min(1),
    n: z.literal(1).optional(),
    size: z.string().optional(),
    response_format: z.enum(['url', 'b64_json']).default('url'),
  }),
  // gpt-image-1 always returns data, and rejects `response_format`.
  z.strictObject({
    model: z.literal('gpt-image-1'),
    prompt: z.string().min(1),
    n: z.int().min(1).optional(),
    size: z.string().optional(),
    quality: z.string().optional(),
    stream: z.literal(true).optional(),
    partial_images: z.int().min(0).max(3).optional(),
  }),
])
const speakRequest = z.strictObject({
  model: z.enum(['tts-1', 'gpt-4o-mini-tts']),
  input: z.string().min(1),
  voice: z.literal('alloy'),
  response_format: z.enum(['mp3', 'wav']).default('mp3'),
  stream_format: z.literal('sse').optional(),
})
const judgeRequest = z.strictObject({
  model: z.literal('omni-moderation-latest'),
  input: z.union([z.string().transform((text) => [text]), z.array(z.string())]),
})
const editForm = z.strictObject({
  model: z.literal('gpt-image-1'),
  prompt: z.string().min(1),
  n: z.literal('1').optional(),
})
const variationForm = z.strictObject({ model: z.literal('dall-e-2'), size: z.string() })
const hearForm = z.strictObject({
  model: z.enum(['whisper-1', 'gpt-4o-mini-transcribe']),
  language: z.string().optional(),
  temperature: z.literal('0').optional(),
  response_format: z.enum(['json', 'srt']).optional(),
  stream: z.literal('true').optional(),
})

/**
 * `at` extracts from a path the endpoint (`what`, such as `images/edits`) and, if the path names
 * it, the model.
 */
export function openaiTasks(at: RegExp): TaskWire {
  const session = createSession()
  return {
    greet: (call) => {
      session.open(call)
      return JSON.stringify(sessionCreated())
    },
    serve: (call) => {
      if (call.headers.upgrade !== undefined) return session.serve(call)
      const { what, model } = at.exec(pathOf(call))?.groups ?? {}
      if (what === undefined) return null
      const check = (served: Served, named: string) => {
        if (model === undefined || model === named) return served
        throw new Error(`the address names ${model}, the body ${named}`)
      }
      if (what === 'images/generations') return check(...draw(bodyOf(call)))
      if (what === 'audio/speech') return check(...speak(bodyOf(call)))
      if (what === 'moderations') return judge(bodyOf(call))
      return readForm(call).then((form) => check(...ofForm(what, form)))
    },
  }
}

function draw(body: unknown): [Served, string] {
  const request = drawRequest.parse(body)
  const { model, prompt, size = null, n: count = 1 } = request
  const asked = { task: 'draw' as const, prompt, size, count }
  if (model === 'dall-e-3') {
    const made = request.response_format === 'url' ? { url: IMAGE_URL } : { b64_json: PNG }
    return [
      {
        received: asked,
        answer: json({ created: 1, data: [{ ...made, revised_prompt: prompt }] }),
      },
      model,
    ]
  }
  if (request.stream !== true) return [{ received: asked, answer: json(imagesMade()) }, model]
  const each = [
    { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: PNG },
    { type: 'image_generation.completed', b64_json: PNG, usage: IMAGE_USAGE },
  ]
  const answer = typedEvents(Array.from({ length: count }, () => each).flat())
  return [{ received: asked, answer }, model]
}

const imagesMade = () => ({ created: 1, data: [{ b64_json: PNG }], usage: IMAGE_USAGE })

function speak(body: unknown): [Served, string] {
  const { model, input: text, voice, stream_format, ...request } = speakRequest.parse(body)
  const asked = { task: 'speak' as const, text, voice }
  const isWav = request.response_format === 'wav'
  const sound = isWav ? WAV : AUDIO
  if (stream_format === undefined) {
    return [{ received: asked, answer: audio(isWav ? 'audio/wav' : 'audio/mpeg', sound) }, model]
  }
  const pieces = inTwo(sound.toString('latin1')).map((piece) => ({
    type: 'speech.audio.delta',
    audio: Buffer.from(piece, 'latin1').toString('base64'),
  }))
  const last = { type: 'speech.audio.done', usage: SPEECH_USAGE }
  return [{ received: asked, answer: typedEvents([...pieces, last]) }, model]
}

function judge(body: unknown): Served {
  const { model, input: texts } = judgeRequest.parse(body)
  const results = texts.map(() => ({ ...VERDICT, category_scores: { violence: 0.9 } }))
  return { received: { task: 'judge', texts }, answer: json({ id: 'modr-1', model, results }) }
}

function ofForm(what: string, form: Form): [Served, string] {
  switch (what) {
    case 'images/edits': {
      const { model, prompt } = editForm.parse(form.texts)
      const images = picturesIn(form)
      return [{ received: { task: 'redraw', prompt, images }, answer: json(imagesMade()) }, model]
    }
    case 'images/variations': {
      const { model } = variationForm.parse(form.texts)
      const answer = json({ created: 1, data: [{ url: IMAGE_URL }] })
      return [{ received: { task: 'vary', images: picturesIn(form) }, answer }, model]
    }
    case 'audio/transcriptions':
    case 'audio/translations':
      return hear(form, what === 'audio/translations')
    default:
      throw new Error(`nothing stands at ${what}`)
  }
}

const picturesIn = ({ files }: Form) =>
  [...(files['image'] ?? []), ...(files['image[]'] ?? [])].map((bytes) => bytes.toString('base64'))

function hear({ texts, files }: Form, translates: boolean): [Served, string] {
  const { model, language = null, stream, response_format: format } = hearForm.parse(texts)
  const [sound, ...more] = files['file'] ?? []
  if (sound === undefined || more.length > 0) throw new Error('one file is heard at a time')
  const asked = { task: 'hear' as const, audio: sound, language, translates }
  if (format === 'srt') {
    return [
      { received: asked, answer: { status: 200, type: 'text/plain', body: SUBTITLES } },
      model,
    ]
  }
  const isWhisper = model === 'whisper-1'
  const usage = isWhisper ? { type: 'duration', seconds: SPEECH_SECONDS } : TRANSCRIPT_USAGE
  if (stream === undefined || isWhisper) {
    return [{ received: asked, answer: json({ text: TRANSCRIPT, usage }) }, model]
  }
  const answer = typedEvents([
    ...inTwo(TRANSCRIPT).map((delta) => ({ type: 'transcript.text.delta', delta })),
    { type: 'transcript.text.done', text: TRANSCRIPT, usage },
  ])
  return [{ received: asked, answer }, model]
}
