import type { Failure, Place } from '../client.ts'

/* One interface for the image, audio, moderation and Realtime calls of official clients. */

export type TestImage = { url: string } | { data: string }

/** The requested response format of an image. */
export type ImageForm = 'either' | 'url' | 'data'

/** `secureUrl` is the same gateway behind TLS, which some clients require. */
export type TaskPlace = Place & { secureUrl: string }

export type Said = { text: string } | { audio: Buffer }

export type TaskClient = {
  name: string
  draw?: Partial<Record<ImageForm, (place: TaskPlace) => Promise<TestImage[]>>>
  /** Streams; each image is preceded by a partial image. */
  streamDrawing?: (place: TaskPlace, count: number) => Promise<TestImage[]>
  redraw?: (place: TaskPlace) => Promise<TestImage[]>
  /** The client cannot request data for edited images, and reads nothing else. */
  redrawsData?: true
  vary?: (place: TaskPlace) => Promise<TestImage[]>
  /** mp3 by default. */
  speak?: (place: TaskPlace, voice: string, format?: 'wav') => Promise<Buffer>
  /** Returns wav. */
  speakInEvents?: (place: TaskPlace, voice: string) => Promise<Buffer>
  hear?: (place: TaskPlace) => Promise<string>
  /** Its transcription model is billed by the token. */
  hearsByToken?: true
  hearInPieces?: (place: TaskPlace) => Promise<string[]>
  hearSubtitles?: (place: TaskPlace) => Promise<string>
  translate?: (place: TaskPlace) => Promise<string>
  judge?: (place: TaskPlace, texts: string[]) => Promise<boolean[]>
  talk?: (place: TaskPlace, said: Said) => Promise<Said & { tokens: number | undefined }>
  /** Status and message of the client's own error class; null for any other error. */
  failureOf: (error: unknown) => Failure | null
}

export const MODELS = {
  draw: 'dall-e-3',
  drawByToken: 'gpt-image-1',
  vary: 'dall-e-2',
  speak: 'tts-1',
  speakByToken: 'gpt-4o-mini-tts',
  hear: 'whisper-1',
  hearByToken: 'gpt-4o-mini-transcribe',
  judge: 'omni-moderation-latest',
  talk: 'gpt-realtime',
} as const
