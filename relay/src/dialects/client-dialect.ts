import type { JsonRecord } from '../json-value.ts'
import type { TextEndpoint } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import type { RequestProblem } from '../request-problem.ts'
import type { Steps } from '../steps.ts'
import type { Usage } from '../usage.ts'
import type { OpenaiError } from './openai/errors.ts'

export type ClientError = OpenaiError & { readonly status: number }

/**
 * The API that a client speaks. Internally all requests and answers have OpenAI's form; a dialect
 * translates requests into that form and answers out of it.
 */
export type ClientDialect = {
  /** The header in which the API's official clients look for the request id, or null. */
  readonly requestIdHeader: string | null
  readonly readRequest: (
    endpoint: TextEndpoint,
    body: Buffer,
    headers?: ClientHeaders,
  ) => Steps<RelayRequest | RequestProblem>
  /** Counts prompt tokens without an answer; null where the API has no such call. */
  readonly counting: TokenCounting | null
  /** How models are listed; null for OpenAI's format. */
  readonly models: ModelNaming | null
  /** Answers reach the client unchanged. */
  readonly passes: boolean
  /** A complete answer. `usage` is the metered usage, for providers that report none. */
  readonly answer: (body: Buffer, usage: Usage) => Steps<Buffer>
  readonly error: (error: ClientError) => { readonly status: number; readonly body: string }
  readonly streamType: 'text/event-stream' | 'application/json'
  readonly speak: () => StreamSpeaker
}

export type ModelNaming = {
  readonly one: (id: string) => JsonRecord
  readonly list: (ids: readonly string[]) => JsonRecord
}

/** Request headers, by names in lower case. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export type TokenCounting = {
  readonly read: (body: Buffer) => Steps<RelayRequest | RequestProblem>
  readonly answer: (tokens: number) => JsonRecord
}

export type StreamSpeaker = {
  readonly say: (blocks: readonly Buffer[]) => readonly Buffer[]
  /** Ends a complete stream; writes the usage event first, unless it is empty. */
  readonly end: (usageEvent: string) => string
  readonly fail: (error: ClientError) => string
  /** Set for dialects that providers speak too: passes their events through. */
  readonly native?: NativeSpeaker
}

/** No method may be called after `say`. */
export type NativeSpeaker = {
  readonly pass: (events: readonly Buffer[]) => readonly Buffer[]
  /** Passes the last events. `usage` is the metered usage, if the provider reported none. */
  readonly end: (events: readonly Buffer[], usage: Usage | null) => Buffer
}
