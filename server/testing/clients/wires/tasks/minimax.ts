import { z } from 'zod'
import { PNG } from '../../client.ts'
import { bodyOf, pathOf } from '../../received-chat.ts'
import {
  AUDIO,
  AUDIO_SECONDS,
  IMAGE_URL,
  json,
  SHAPE,
  SIZE,
  type TaskWire,
  WAV,
} from '../../tasks/received-task.ts'

/*
 * MiniMax's native API (platform.minimax.io, 2026-08): audio comes as hexadecimal digits, images
 * have an aspect ratio instead of a size.
 */

const drawRequest = z.strictObject({
  model: z.literal('image-01'),
  prompt: z.string().min(1).max(1500),
  n: z.int().min(1).max(9),
  aspect_ratio: z.enum(['1:1', '16:9', '4:3', '3:2', '2:3', '3:4', '9:16', '21:9']).optional(),
  response_format: z.enum(['url', 'base64']),
})
const speakRequest = z.strictObject({
  model: z.literal('speech-2.8-hd'),
  text: z.string().min(1).max(10_000),
  stream: z.literal(false),
  output_format: z.literal('hex'),
  // Any voice id: accounts may have cloned voices.
  voice_setting: z.strictObject({
    voice_id: z.string().min(1),
    speed: z.number().min(0.5).max(2),
  }),
  audio_setting: z.strictObject({ format: z.enum(['mp3', 'wav']), channel: z.literal(1) }),
})

const DONE = { base_resp: { status_code: 0, status_msg: 'success' } }

export const minimaxTasks: TaskWire = {
  serve: (call) => {
    switch (pathOf(call)) {
      case '/v1/image_generation': {
        const { prompt, n: count, ...request } = drawRequest.parse(bodyOf(call))
        const size = request.aspect_ratio === SHAPE ? SIZE : null
        const isUrl = request.response_format === 'url'
        const data = isUrl ? { image_urls: [IMAGE_URL] } : { image_base64: [PNG] }
        const metadata = { success_count: '1', failed_count: '0' }
        const answer = json({ id: 'i-1', data, metadata, ...DONE })
        return { received: { task: 'draw', prompt, size, count }, answer }
      }
      case '/v1/t2a_v2': {
        const request = speakRequest.parse(bodyOf(call))
        const { text, voice_setting, audio_setting } = request
        const sound = audio_setting.format === 'wav' ? WAV : AUDIO
        return {
          received: { task: 'speak', text, voice: voice_setting.voice_id },
          answer: said(sound, text),
        }
      }
      default:
        return null
    }
  },
}

const said = (sound: Buffer, text: string) =>
  json({
    data: { audio: sound.toString('hex'), status: 2 },
    extra_info: {
      audio_length: AUDIO_SECONDS * 1000,
      audio_size: sound.length,
      audio_channel: 1,
      usage_characters: text.length,
    },
    trace_id: 't-1',
    ...DONE,
  })
