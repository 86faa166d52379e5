import OpenAI, { toFile } from 'openai'
import { OpenAIRealtimeError } from 'openai/realtime/index'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import type { Image } from 'openai/resources/images'
import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime'
import { isRecord, member, textOf } from '@tollgate/relay'
import type { Failure } from '../client.ts'
import { PNG } from '../client.ts'
import { readJson } from '../received-chat.ts'
import { CHANGE, PROMPT, SIZE, SPEECH, SPOKEN } from '../tasks/received-task.ts'
import {
  MODELS,
  type TestImage,
  type Said,
  type TaskClient,
  type TaskPlace,
} from '../tasks/task-client.ts'
import { failureOfOpenai } from './openai.ts'

const sdk = ({ url, key }: TaskPlace) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

const pictures = (images: readonly Image[] = []): TestImage[] =>
  images.map(({ url, b64_json }) => (url === undefined ? { data: b64_json ?? '' } : { url }))

const draw = async (place: TaskPlace, response_format?: 'url' | 'b64_json') => {
  const asked = { model: MODELS.draw, prompt: PROMPT, size: SIZE } as const
  const format = response_format === undefined ? {} : { response_format }
  return pictures((await sdk(place).images.generate({ ...asked, ...format })).data)
}

const png = () => toFile(Buffer.from(PNG, 'base64'), 'cat.png', { type: 'image/png' })
const speech = () => toFile(SPEECH, 'a.mp3', { type: 'audio/mpeg' })

const TALK_MS_MAX = 5000

async function talk({ secureUrl, key }: TaskPlace, said: Said) {
  const openai = new OpenAI({ baseURL: `${secureUrl}/v1`, apiKey: key })
  const session = new OpenAIRealtimeWS({ model: MODELS.talk }, openai)
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  session.socket.on('close', () => close())
  const { promise: done, resolve, reject } = Promise.withResolvers<number | undefined>()
  const timer = setTimeout(() => reject(new Error('nothing was said in time')), TALK_MS_MAX)
  let text = ''
  const sounds: Buffer[] = []
  session.on('error', reject)
  session.on('session.created', () => {
    for (const event of eventsFor(said)) session.send(event)
  })
  session.on('response.output_text.delta', ({ delta }) => (text += delta))
  session.on('response.output_audio.delta', ({ delta }) => {
    sounds.push(Buffer.from(delta, 'base64'))
  })
  session.on('response.done', ({ response }) => resolve(response.usage?.total_tokens))
  try {
    const tokens = await done
    return { ...('text' in said ? { text } : { audio: Buffer.concat(sounds) }), tokens }
  } finally {
    clearTimeout(timer)
    session.close()
    await closed
  }
}

function eventsFor(said: Said): RealtimeClientEvent[] {
  if ('audio' in said) {
    const audio = said.audio.toString('base64')
    return [
      {
        type: 'session.update',
        session: { type: 'realtime', audio: { input: { turn_detection: null } } },
      },
      { type: 'input_audio_buffer.append', audio },
      { type: 'input_audio_buffer.commit' },
      { type: 'response.create' },
    ]
  }
  const content = [{ type: 'input_text' as const, text: said.text }]
  return [
    { type: 'conversation.item.create', item: { type: 'message', role: 'user', content } },
    { type: 'response.create' },
  ]
}

/** A rejected WebSocket handshake has only its HTTP status. */
function failureOf(error: unknown): Failure | null {
  if (!(error instanceof OpenAIRealtimeError)) return failureOfOpenai(error)
  const status = /Unexpected server response: (\d+)/.exec(error.message)?.[1]
  return status === undefined ? null : { status: Number(status), message: error.message }
}

export const openaiTasksClient: TaskClient = {
  name: '`openai`, images and audio',
  draw: {
    either: (place) => draw(place),
    url: (place) => draw(place, 'url'),
    data: (place) => draw(place, 'b64_json'),
  },
  streamDrawing: async (place, n) => {
    const stream = await sdk(place).images.generate({
      model: MODELS.drawByToken,
      prompt: PROMPT,
      size: SIZE,
      n,
      quality: 'low',
      stream: true,
      partial_images: 1,
    })
    const drawn: TestImage[] = []
    for await (const { b64_json: data } of stream) drawn.push({ data })
    return drawn
  },
  redraw: async (place) => {
    const asked = { model: MODELS.drawByToken, image: await png(), prompt: CHANGE }
    return pictures((await sdk(place).images.edit(asked)).data)
  },
  vary: async (place) => {
    const asked = { model: MODELS.vary, image: await png(), size: '256x256' } as const
    // oxlint-disable-next-line typescript/no-deprecated -- still supported by the client library
    return pictures((await sdk(place).images.createVariation(asked)).data)
  },
  speak: async (place, voice, format) => {
    const answer = await sdk(place).audio.speech.create({
      model: MODELS.speak,
      input: SPOKEN,
      voice,
      ...(format && { response_format: format }),
    })
    return Buffer.from(await answer.arrayBuffer())
  },
  speakInEvents: async (place, voice) => {
    const answer = await sdk(place).audio.speech.create({
      model: MODELS.speakByToken,
      input: SPOKEN,
      voice,
      response_format: 'wav',
      stream_format: 'sse',
    })
    return soundIn(await answer.text())
  },
  hear: async (place) => {
    const asked = { model: MODELS.hear, file: await speech(), language: 'en' }
    return (await sdk(place).audio.transcriptions.create(asked)).text
  },
  hearInPieces: async (place) => {
    const stream = await sdk(place).audio.transcriptions.create({
      model: MODELS.hearByToken,
      file: await speech(),
      language: 'en',
      stream: true,
    })
    const pieces: string[] = []
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') pieces.push(event.delta)
      if (event.type === 'transcript.text.done') pieces.push(event.text)
    }
    return pieces
  },
  hearSubtitles: async (place) => {
    const file = await speech()
    const asked = { model: MODELS.hear, file, language: 'en', response_format: 'srt' as const }
    return sdk(place).audio.transcriptions.create(asked)
  },
  translate: async (place) => {
    const asked = { model: MODELS.hear, file: await speech() }
    // oxlint-disable-next-line typescript/no-deprecated -- still supported by the client library
    return (await sdk(place).audio.translations.create(asked)).text
  },
  judge: async (place, input) => {
    const { results } = await sdk(place).moderations.create({ model: MODELS.judge, input })
    return results.map(({ flagged }) => flagged)
  },
  talk,
  failureOf,
}

/** The client returns the raw server-sent events. */
function soundIn(events: string): Buffer {
  const data = events
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  const sounds = data.map(readJson).flatMap((event) => (isRecord(event) ? [event] : []))
  return Buffer.concat(sounds.map((event) => Buffer.from(textOf(member(event, 'audio')), 'base64')))
}
