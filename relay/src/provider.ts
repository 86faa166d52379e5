export type ProviderColor =
  | 'green'
  | 'black'
  | 'olive'
  | 'orange'
  | 'blue'
  | 'violet'
  | 'teal'
  | 'red'
  | 'pink'
  | 'purple'
  | 'brown'
  | 'yellow'

export type ProviderDialect =
  | 'openai'
  | 'azure'
  | 'anthropic'
  | 'gemini'
  | 'palm'
  | 'baidu'
  | 'zhipu'
  | 'ali'
  | 'spark'
  | 'tencent'
  | 'minimax'
  | 'ollama'
  | 'ai-proxy-library'

const TEXT_PATHS = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
} as const

const TASK_PATHS = {
  moderations: '/v1/moderations',
  images: '/v1/images/generations',
  imageEdits: '/v1/images/edits',
  imageVariations: '/v1/images/variations',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
  translations: '/v1/audio/translations',
  rerank: '/v1/rerank',
} as const

/** The endpoints of the OpenAI dialect that the relay meters, at our address and at the provider's. */
export const RELAY_PATHS = { ...TEXT_PATHS, ...TASK_PATHS } as const

export type RelayEndpoint = keyof typeof RELAY_PATHS

/** Those whose output is text or vectors, and is paid by the token. */
export type TextEndpoint = keyof typeof TEXT_PATHS

/** The others; see `tasks/task.ts`. */
export type TaskEndpoint = keyof typeof TASK_PATHS

export const isTaskEndpoint = (endpoint: RelayEndpoint): endpoint is TaskEndpoint =>
  Object.hasOwn(TASK_PATHS, endpoint)

/** What a channel may be asked for: one of these, or a session of OpenAI's Realtime. */
export type ChannelOffer = RelayEndpoint | 'realtime'

export type BothLanguages = { readonly en: string; readonly zh: string }

/** A form field that only this type of channel has; the console draws it from here. */
export type ChannelField = {
  readonly name: 'base_url' | 'other'
  readonly label: BothLanguages
  readonly hint: BothLanguages
  readonly placeholder?: string
  readonly default?: string
  readonly required?: boolean
}

/**
 * How a provider goes on with a given beginning of its answer: a last message of the assistant that is
 * marked so. Some repeat the beginning before they go on.
 */
export type ContinuesText = {
  readonly mark: 'prefix' | 'partial'
  readonly repeats: boolean
  /** Not to be mixed with the wish for JSON. */
  readonly isNeverJson?: true
}

export type ProviderDescriptor = {
  /** The channel type id, which is stored and sent on the wire. */
  readonly type: number
  readonly name: BothLanguages
  readonly color: ProviderColor
  /** Empty: the operator must give one. */
  readonly baseUrl: string
  readonly dialect: ProviderDialect
  /** How the parts of a key are joined, where it has parts. */
  readonly keyFormat?: string
  /** What does not match is no key of this provider; absent where any text may be one. */
  readonly keyPattern?: RegExp
  readonly fields: readonly ChannelField[]
  readonly models: readonly string[]
  /** The unit a balance query answers in; null where there is no such query. */
  readonly balanceUnit: 'usd' | 'cny' | 'cny/10000' | 'number' | null
  /** Top-level request members the vendor refuses; they are taken out. */
  readonly dropFields?: readonly string[]
  /** Top-level request members the vendor knows by another name. */
  readonly renameFields?: Readonly<Record<string, string>>
  /** Roles of messages the vendor knows by another name. */
  readonly renameRoles?: Readonly<Record<string, string>>
  /** Ids of tool calls must be nine letters and digits: others are turned into such. */
  readonly hasShortCallIds?: true
  /** Top-level request members that always have this value. */
  readonly setFields?: Readonly<Record<string, string | number | boolean>>
  /** Whether a stream ends with its usage by itself or only after stream_options.include_usage. */
  readonly streamUsage: 'on-request' | 'always'
  /** Endpoints whose answers tell no usage, always or at times; then it is counted here. */
  readonly tellsNoUsage?: readonly RelayEndpoint[]
  /** Its transcripts are JSON whatever is asked for: it knows neither plain text nor subtitles. */
  readonly transcribesToJson?: true
  readonly continuesText?: ContinuesText
  /** It cannot be told how long its answer may be: whatever it can write may have to be paid. */
  readonly ignoresOutputLimit?: true
  /** It adds to the prompt what it finds in its knowledge base. */
  readonly addsToPrompt?: true
  /** Which headers tell the vendor whose traffic this is. */
  readonly headers?: 'openrouter'
  readonly supports: readonly ChannelOffer[]
}

/** What OpenAI itself has, and whoever passes everything on to it; and rerank, which others have at its paths. */
export const OPENAI_ENDPOINTS = [
  'chat',
  'completions',
  'embeddings',
  'moderations',
  'images',
  'imageEdits',
  'imageVariations',
  'speech',
  'transcriptions',
  'translations',
  'rerank',
  'realtime',
] as const
