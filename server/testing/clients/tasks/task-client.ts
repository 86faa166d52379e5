import type { Failure, Place } from '../client.ts'

/* What official clients are made to do that is not about text alone, whatever their methods are called. */

/** By its address or as data, in base64. */
export type Picture = { url: string } | { data: string }

/** How an image is wanted: as the provider likes, by its address, as data. */
export type DrawnAs = 'either' | 'url' | 'data'

/** The second address has TLS before it, which some clients insist on. */
export type TaskPlace = Place & { secureUrl: string }

export type Said = { text: string } | { audio: Buffer }

export type TaskClient = {
  name: string
  draw?: Partial<Record<DrawnAs, (place: TaskPlace) => Promise<Picture[]>>>
  /** Of each image a sketch comes before it. */
  drawInPieces?: (place: TaskPlace, count: number) => Promise<Picture[]>
  redraw?: (place: TaskPlace) => Promise<Picture[]>
  /** It cannot say that it wants images as data where they are changed, and reads nothing else. */
  redrawsData?: true
  vary?: (place: TaskPlace) => Promise<Picture[]>
  /** As mp3 where nothing is said. */
  speak?: (place: TaskPlace, voice: string, format?: 'wav') => Promise<Buffer>
  /** As wav. */
  speakInEvents?: (place: TaskPlace, voice: string) => Promise<Buffer>
  hear?: (place: TaskPlace) => Promise<string>
  /** Its model of transcripts is paid by the token. */
  hearsByToken?: true
  hearInPieces?: (place: TaskPlace) => Promise<string[]>
  hearSubtitles?: (place: TaskPlace) => Promise<string>
  translate?: (place: TaskPlace) => Promise<string>
  /** Whether each text was flagged. */
  judge?: (place: TaskPlace, texts: string[]) => Promise<boolean[]>
  talk?: (place: TaskPlace, said: Said) => Promise<Said & { tokens: number | undefined }>
  /** What a failure of the client's own class tells; null for any other. */
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
