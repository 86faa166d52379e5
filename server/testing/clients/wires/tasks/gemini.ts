import { z } from 'zod'
import { PNG } from '../../client.ts'
import { bodyOf, pathOf } from '../../received-chat.ts'
import {
  IMAGE_USAGE,
  json,
  type Served,
  SHAPE,
  SIZE,
  SPEECH_USAGE,
  type TaskWire,
  WAV,
  WAV_HEAD_BYTES,
} from '../../tasks/received-task.ts'

/*
 * Google's images have an aspect ratio instead of a size, and come as data. Imagen has its own
 * method. Gemini models produce images and speech as they produce text, and report tokens.
 */

const MODELS = '/v1beta/models/'

const imagenRequest = z.strictObject({
  instances: z.tuple([z.strictObject({ prompt: z.string().min(1) })]),
  parameters: z.strictObject({
    sampleCount: z.int().min(1).max(4),
    aspectRatio: z.enum(['1:1', '4:3', '3:4', '16:9', '9:16']).optional(),
  }),
})
const text = z.strictObject({ text: z.string().min(1) })
const picture = z.strictObject({
  inlineData: z.strictObject({ mimeType: z.literal('image/png'), data: z.base64() }),
})
const redrawRequest = z.strictObject({
  contents: z.tuple([z.strictObject({ role: z.literal('user'), parts: z.tuple([picture, text]) })]),
  safetySettings: z.array(
    z.strictObject({
      category: z.string().startsWith('HARM_CATEGORY_'),
      threshold: z.literal('BLOCK_NONE'),
    }),
  ),
  generationConfig: z.strictObject({
    responseModalities: z.tuple([z.literal('TEXT'), z.literal('IMAGE')]),
    maxOutputTokens: z.int().min(1).max(32_768),
  }),
})
const voiceConfig = z.strictObject({
  prebuiltVoiceConfig: z.strictObject({ voiceName: z.literal('Kore') }),
})
const speakRequest = z.strictObject({
  contents: z.tuple([z.strictObject({ role: z.literal('user'), parts: z.tuple([text]) })]),
  generationConfig: z.strictObject({
    responseModalities: z.tuple([z.literal('AUDIO')]),
    maxOutputTokens: z.int().positive(),
    speechConfig: z.strictObject({ voiceConfig }),
  }),
})

export const geminiTasks: TaskWire = {
  serve: (call) => {
    switch (pathOf(call)) {
      case `${MODELS}imagen-4.0-generate-001:predict`:
        return draw(bodyOf(call))
      case `${MODELS}gemini-2.5-flash-image:generateContent`:
        return redraw(bodyOf(call))
      case `${MODELS}gemini-2.5-flash-preview-tts:generateContent`:
        return speak(bodyOf(call))
      default:
        return null
    }
  },
}

function draw(body: unknown): Served {
  const { instances, parameters } = imagenRequest.parse(body)
  const [{ prompt }] = instances
  const size = parameters.aspectRatio === SHAPE ? SIZE : null
  return {
    received: { task: 'draw', prompt, size, count: parameters.sampleCount },
    answer: json({ predictions: [{ mimeType: 'image/png', bytesBase64Encoded: PNG }] }),
  }
}

function redraw(body: unknown): Served {
  const { contents } = redrawRequest.parse(body)
  const [{ inlineData }, { text: prompt }] = contents[0].parts
  const { text_tokens, image_tokens } = IMAGE_USAGE.input_tokens_details
  return {
    received: { task: 'redraw', prompt, images: [inlineData.data] },
    answer: answerOf({ mimeType: 'image/png', data: PNG }, IMAGE_USAGE, {
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: text_tokens },
        { modality: 'IMAGE', tokenCount: image_tokens },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: IMAGE_USAGE.output_tokens }],
    }),
  }
}

/** Returns raw samples without a WAV header. */
function speak(body: unknown): Served {
  const { contents, generationConfig } = speakRequest.parse(body)
  const { voiceName } = generationConfig.speechConfig.voiceConfig.prebuiltVoiceConfig
  const data = WAV.subarray(WAV_HEAD_BYTES).toString('base64')
  return {
    received: { task: 'speak', text: contents[0].parts[0].text, voice: voiceName },
    answer: answerOf({ mimeType: 'audio/L16;codec=pcm;rate=24000', data }, SPEECH_USAGE, {
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: SPEECH_USAGE.input_tokens }],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: SPEECH_USAGE.output_tokens }],
    }),
  }
}

const answerOf = (
  inlineData: { mimeType: string; data: string },
  usage: { input_tokens: number; output_tokens: number; total_tokens: number },
  details: object,
) =>
  json({
    candidates: [
      { content: { role: 'model', parts: [{ inlineData }] }, finishReason: 'STOP', index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: usage.input_tokens,
      candidatesTokenCount: usage.output_tokens,
      totalTokenCount: usage.total_tokens,
      ...details,
    },
    responseId: 'r1',
  })
