import type { JsonRecord } from '../json-value.ts'
import type { TextEndpoint } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import type { RequestProblem } from '../request-problem.ts'
import type { Steps } from '../steps.ts'
import type { Usage } from '../usage.ts'
import type { OpenaiError } from './openai/errors.ts'

export type ClientError = OpenaiError & { readonly status: number }

/**
 * What a client speaks. On the inside every request and every answer has OpenAI's form; a dialect turns the
 * one into it and the other out of it.
 */
export type ClientDialect = {
  /** The header under which its official clients show the id of a request, besides `x-request-id`. */
  readonly requestIdHeader: string | null
  readonly readRequest: (
    endpoint: TextEndpoint,
    body: Buffer,
    headers?: ClientHeaders,
  ) => Steps<RelayRequest | RequestProblem>
  /** How tokens are counted without an answer; null where the dialect has no such call. */
  readonly counting: TokenCounting | null
  /** How models are told of; null where that is done as OpenAI does. */
  readonly models: ModelNaming | null
  /** Answers are given to its clients as they come. */
  readonly passes: boolean
  /** A whole answer; `usage` is what was metered, should the provider have reported none. */
  readonly answer: (body: Buffer, usage: Usage) => Steps<Buffer>
  readonly error: (error: ClientError) => { readonly status: number; readonly body: string }
  /** The content type of a stream. */
  readonly streamType: 'text/event-stream' | 'application/json'
  /** For one stream. */
  readonly speak: () => StreamSpeaker
}

export type ModelNaming = {
  readonly one: (id: string) => JsonRecord
  readonly list: (ids: readonly string[]) => JsonRecord
}

/** As they came, by names in lower case. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export type TokenCounting = {
  readonly read: (body: Buffer) => Steps<RelayRequest | RequestProblem>
  readonly answer: (tokens: number) => JsonRecord
}

/** Says a stream to the client, in its dialect. */
export type StreamSpeaker = {
  /** What is to be sent for these blocks of OpenAI's events. */
  readonly say: (blocks: readonly Buffer[]) => readonly Buffer[]
  /** The end of a whole stream; before it the usage event, if there is one to be said. */
  readonly end: (usageEvent: string) => string
  /** The end of a stream that broke. */
  readonly fail: (error: ClientError) => string
  /** Of dialects that providers speak too: hands on what they say. */
  readonly native?: NativeSpeaker
}

/** Once `say` has been called nothing more is handed on. */
export type NativeSpeaker = {
  /** What is to be sent for these whole events. */
  readonly pass: (events: readonly Buffer[]) => readonly Buffer[]
  /** The same for the events that end the stream; `usage` is what was metered, if it was not told. */
  readonly end: (events: readonly Buffer[], usage: Usage | null) => Buffer
}
