/*
 * Codecs for providers with a protocol of their own. Chats are typed (`form/request.ts`), and those
 * for protocols near chat completions have the format of these. Whole answers are typed
 * (`form/answer.ts`), and streams are events (`form/events.ts`). A codec translates between these
 * and the provider's format. Codecs are pure: they have no network, clock or randomness of their
 * own.
 */
import type { JsonRecord } from '../bytes/json-value.ts'
import type { Steps } from '../bytes/steps.ts'
import type { CardLookup } from '../cards/card-of.ts'
import type { Adaptations } from '../fit/adaptations.ts'
import type { Decoded } from '../form/answer.ts'
import type { StreamDecoder } from '../form/chat-chunk.ts'
import type { ChatForm } from '../form/request.ts'
import type { TaskEndpoint, TextEndpoint } from '../provider.ts'

type CallTo<Endpoint> = {
  readonly endpoint: Endpoint
  readonly model: string
  readonly channel: {
    /** Empty for the provider's default URL. */
    readonly baseUrl: string
    /** The channel's key, or the token `tokenExchange` returned for it. */
    readonly key: string
    /** The channel's `other` field. Its meaning depends on the provider. */
    readonly other: string
    /** Absent if the operator states nothing about models. */
    readonly cardOf?: CardLookup | undefined
  }
  /** Epoch milliseconds. */
  readonly now: number
  /** Unique per request. Used for ids the provider does not give, and for nonces. */
  readonly id: string
}

export type ProviderCall = CallTo<TextEndpoint> & {
  /**
   * In OpenAI's format, with the provider's model name and the output limit already set. Only the
   * settings of a chat that Messages, Gemini or Responses are written from.
   */
  readonly request: JsonRecord
  /** A chat of another wire than that of the provider, fitted to it. */
  readonly form?: ChatForm | undefined
  /** The client speaks another API than OpenAI's, which shows reasoning. */
  readonly isTranslated?: boolean
  /** Collects what the provider gets changed; absent where nothing shows it. */
  readonly adaptations?: Adaptations | undefined
  readonly stream: boolean
}

/** A request to a task endpoint (images, audio, rerank, moderations), in OpenAI's format. */
export type TaskCall = CallTo<TaskEndpoint> & {
  readonly body: Buffer
  readonly contentType: string
}

export type EncodedCall = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /**
   * `websocket`: the body is sent as one text message. Received messages are read as lines until
   * the provider closes the connection.
   */
  readonly transport?: 'websocket'
  /** Whether the answer ends with this message, so that the relay need not wait for the close. */
  readonly isLastMessage?: (message: Buffer) => boolean
}

/**
 * For endpoints that are not about text. `encodeTask` throws `UnsupportedParameterError` for
 * parameters the provider lacks.
 */
export type TaskCodec = {
  readonly encodeTask: (call: TaskCall) => EncodedCall
  /**
   * Converts the answer to OpenAI's format, or to the format of `tasks/speech-answer.ts`; returns
   * failures unchanged. Absent if the answer needs no conversion.
   */
  readonly decodeTask?: (body: Buffer, call: TaskCall) => Buffer
  /** For tasks the provider runs asynchronously: it returns a task id to poll with. */
  readonly queue?: TaskQueue
}

/** Lacks the members of `TaskCodec` if the provider has no task endpoints. */
export type ProviderCodec = Partial<TaskCodec> & {
  /** Throws `UnsupportedParameterError` for parameters the provider lacks, and `MalformedKey`. */
  readonly encode: (call: ProviderCall) => EncodedCall
  /** Absent if the provider answers in OpenAI's format. */
  readonly answers?: AnswerCodec
  /** The provider takes images as data only, so the server fetches images given by URL. */
  readonly inlinesImages?: true
  /** Exchanges keys for temporary tokens. */
  readonly tokenExchange?: KeyExchange
}

export type AnswerCodec = {
  /**
   * Decodes a 2xx answer. Embeddings may hold many vectors and are converted in steps. A body that
   * is not an answer is returned unchanged and is then read as a failure.
   */
  readonly decode: (body: Buffer, call: ProviderCall) => Decoded | Steps<Decoded>
  readonly decoder: (call: ProviderCall) => StreamDecoder
  /**
   * The provider never streams. The decoder receives a whole JSON answer and turns it into a
   * stream.
   */
  readonly neverStreams?: true
}

export type TaskQueue = {
  readonly isNeeded: (call: TaskCall) => boolean
  /** The task id in the answer to `encodeTask`; null if there is none. */
  readonly readTaskId: (body: Buffer) => string | null
  /** A GET request for the state of the task. */
  readonly pollRequest: (call: TaskCall, taskId: string) => Pick<EncodedCall, 'url' | 'headers'>
  /** The task has succeeded or failed; its state is final. */
  readonly isDone: (body: Buffer) => boolean
}

export type KeyExchange = {
  /** False for kinds of keys that are sent unchanged. */
  readonly isNeeded: (key: string) => boolean
  /** Throws `MalformedKey`. */
  readonly tokenRequest: (channel: {
    baseUrl: string
    key: string
  }) => Omit<EncodedCall, 'transport' | 'isLastMessage'>
  /** The token and its expiry in epoch milliseconds; null if the answer has no token. */
  readonly readToken: (body: Buffer, now: number) => { token: string; expiresAt: number } | null
}
