/*
 * How a provider is spoken to that has a protocol of its own. On the inside everything has the form of
 * OpenAI's chat completions: requests are read, answers metered, and streams watched, continued and priced
 * in it. A codec turns that form into the provider's words and back. It is values in, values out: no
 * network, no clock and no randomness of its own.
 */
import type { JsonRecord } from '../json-value.ts'
import type { TaskEndpoint, TextEndpoint } from '../provider.ts'
import type { Steps } from '../steps.ts'

type CallTo<Endpoint> = {
  readonly endpoint: Endpoint
  readonly model: string
  readonly channel: {
    /** Empty for the provider's usual address. */
    readonly baseUrl: string
    /** What `exchange` made of the channel's key, where the codec has one. */
    readonly key: string
    /** The field of the form that means something else for each provider. */
    readonly other: string
  }
  /** Epoch milliseconds. */
  readonly now: number
  /** Like no other request's: for ids that the provider does not give, and for nonces. */
  readonly id: string
}

export type ProviderCall = CallTo<TextEndpoint> & {
  /** In OpenAI's form, with the provider's name of the model and the limit on its output. */
  readonly request: JsonRecord
  /** The request was translated from another dialect, and has members that no provider knows as they are. */
  readonly hasExtensions?: boolean
  readonly stream: boolean
}

/** What a provider takes in OpenAI's form, at an address or with a key of its own. */
export type TaskCall = CallTo<TaskEndpoint> & {
  readonly body: Buffer
  readonly contentType: string
}

export type EncodedCall = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /**
   * `websocket`: the body is sent as one text message, and the messages that come are read as lines
   * until the other side closes.
   */
  readonly transport?: 'websocket'
  /** Whether the answer ends with this message, so that the other side need not be waited for. */
  readonly isLast?: (message: Buffer) => boolean
}

/** Turns what comes of a stream into OpenAI's events; made by `ChatEvents`. */
export type StreamDecoder = {
  /** The bytes of whole events; none while an event is not complete. */
  push: (chunk: Buffer) => Buffer[]
  end: () => Buffer[]
}

/** Of the endpoints that are not about text. */
export type TaskCodec = {
  readonly encodeTask: (call: TaskCall) => EncodedCall
  /** An answer to it in the form that clients know, or as `tasks/spoken.ts` has it; absent where it comes so. */
  readonly decodeTask?: (body: Buffer, call: TaskCall) => Buffer
  /** What is not done at once: the provider gives a ticket, with which the answer is asked for. */
  readonly queue?: TaskQueue
}

/** Without the members of a `TaskCodec` where the provider has no such endpoints. */
export type ProviderCodec = Partial<TaskCodec> & {
  /** Throws `Untranslatable` for what the provider has no words for, and `MalformedKey`. */
  readonly encode: (call: ProviderCall) => EncodedCall
  /** Absent where the provider answers in OpenAI's form. */
  readonly answers?: AnswerCodec
  /** The provider takes images as data only: the server fetches those that are named by an address. */
  readonly inlinesImages?: true
  /** Keys are changed for tokens that hold for a while. */
  readonly exchange?: KeyExchange
}

export type AnswerCodec = {
  /**
   * An answer of status 2xx in OpenAI's form; vectors, of which there may be many, in steps. What is no answer comes
   * back as it is, and is read as a failure.
   */
  readonly decode: (body: Buffer, call: ProviderCall) => Buffer | Steps<Buffer>
  readonly decoder: (call: ProviderCall) => StreamDecoder
  /** The provider never streams: the decoder is given a whole answer, which is JSON, and makes a stream of it. */
  readonly answersWhole?: true
}

export type TaskQueue = {
  readonly isNeeded: (call: TaskCall) => boolean
  /** In the answer to what `encodeTask` made; null where there is none. */
  readonly ticket: (body: Buffer) => string | null
  /** Asks with GET for what has become of it. */
  readonly ask: (call: TaskCall, ticket: string) => Pick<EncodedCall, 'url' | 'headers'>
  /** It will not change any more, for good or ill. */
  readonly isDone: (body: Buffer) => boolean
}

export type KeyExchange = {
  /** Of a provider with several kinds of keys some go as they are. */
  readonly isNeeded: (key: string) => boolean
  /** Throws `MalformedKey`. */
  readonly ask: (channel: {
    baseUrl: string
    key: string
  }) => Omit<EncodedCall, 'transport' | 'isLast'>
  /** The token and until when it holds (epoch milliseconds); null when the answer has none. */
  readonly read: (body: Buffer, now: number) => { token: string; expiresAt: number } | null
}

/** The request is in order, and this provider cannot be told it; said to the client with status 400. */
export class UnsupportedParameterError extends Error {
  override readonly name = 'Untranslatable'
  /** The member of the request, as `messages.0.content`; null when it is none. */
  readonly param: string | null

  constructor(message: string, param: string | null = null) {
    super(message)
    this.param = param
  }
}

/** The channel's key has not the parts that this provider's keys have. */
export class MalformedKey extends Error {
  override readonly name = 'MalformedKey'

  constructor(format: string) {
    super(`The key of this channel has the wrong form; it must be ${format}.`)
  }
}
