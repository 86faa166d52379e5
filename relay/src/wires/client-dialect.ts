import type { JsonRecord } from '../bytes/json-value.ts'
import type { Steps } from '../bytes/steps.ts'
import type { ModelFacts } from '../cards/listed-facts.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import type { Answer } from '../form/answer.ts'
import type { AnswerHead, StreamEvent, StreamHead } from '../form/events.ts'
import type { TextEndpoint } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import type { Usage } from '../usage/usage.ts'
import type { UsagePath } from './cost-member.ts'
import type { OpenaiError } from './openai-chat/write-error.ts'

/** An item or response as it is stored. */
export type StoredEntry = { readonly name: string; readonly content: Buffer }

export type ClientError = OpenaiError & { readonly status: number }

/**
 * The API that a client speaks. Internally chats are typed (`form/request.ts`), and so are answers
 * (`form/answer.ts`). A dialect reads the former and writes the latter.
 */
export type ClientDialect = {
  /** The header in which the API's official clients look for the request id, or null. */
  readonly requestIdHeader: string | null
  readonly readRequest: (
    endpoint: TextEndpoint,
    body: Buffer,
    headers?: ClientHeaders,
    /** The id of the user; absent if the request cannot refer to earlier answers. */
    owner?: number,
  ) => Steps<RelayRequest | RequestProblem>
  /**
   * Names of the entries that the last reading has not found in memory. Once they were read from
   * the store, the request can be read again. Absent in dialects that keep nothing.
   */
  readonly missing?: () => readonly string[]
  /** Takes such entries for the next reading. */
  readonly receive?: (entries: readonly StoredEntry[]) => void
  /** Counts prompt tokens without an answer; null where the API has no such call. */
  readonly counting: TokenCounting | null
  /** How models are listed; null for OpenAI's format. */
  readonly models: ModelFormat | null
  /** Chat completions of a provider reach the client unchanged. */
  readonly readsChatCompletions: boolean
  /** A complete answer of a provider that speaks the client's dialect. */
  readonly passed: (body: Buffer) => Buffer
  readonly answer: (answer: Answer, charged: ChargedAnswer) => Steps<Buffer>
  /** Embeddings in OpenAI's format. */
  readonly embeddings: (body: Buffer) => Steps<Buffer>
  readonly error: (error: ClientError) => { readonly status: number; readonly body: string }
  /** Where the usage is in a complete answer, and in the last events of a stream. */
  readonly usagePaths: { readonly answer: UsagePath; readonly stream: UsagePath }
  readonly streamType: 'text/event-stream' | 'application/json'
  readonly createEncoder: () => StreamEncoder
}

export type ChargedAnswer = {
  /** What the client is charged for. */
  readonly usage: Usage
  /** Bytes of the provider's answer. A large one is written in steps. */
  readonly bytes: number
}

export type ModelFormat = {
  readonly formatOne: (model: ListedModel) => JsonRecord
  readonly formatList: (models: readonly ListedModel[]) => JsonRecord
}

export type ListedModel = { readonly id: string; readonly facts: ModelFacts }

/** Request headers, by names in lower case. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export type TokenCounting = {
  readonly read: (body: Buffer, owner?: number) => Steps<RelayRequest | RequestProblem>
  readonly answer: (tokens: number) => JsonRecord
}

export type StreamEncoder = {
  readonly write: (events: readonly StreamEvent[]) => string
  /** Continues a stream that has passed through, or is the client's own already. */
  readonly resume: (passed: PassedStream) => void
  /** Ends a complete stream. `usage` is null if the client has it, or does not want it. */
  readonly end: (usage: FinalUsage | null) => string
  readonly error: (error: ClientError) => string
  /** Set for dialects that providers speak too: passes their events through. */
  readonly native?: NativePassThrough
}

export type PassedStream = { readonly head: AnswerHead; readonly text: string }

/** The usage that is charged. */
export type FinalUsage = {
  readonly head: StreamHead & { readonly model: string }
  readonly promptTokens: number
  readonly completionTokens: number
  /** The usage object as the provider reported it; null if the gateway counted. */
  readonly reported: JsonRecord | null
}

/** No method may be called after `write`. */
export type NativePassThrough = {
  readonly passThrough: (events: readonly Buffer[]) => readonly Buffer[]
  /** In place of `passThrough`, for one event that only adds a piece of output. */
  readonly passDelta: (event: Buffer) => Buffer
  /** Passes the last events. `usage` is the metered usage, if the provider reported none. */
  readonly end: (events: readonly Buffer[], usage: Usage | null) => Buffer
}
