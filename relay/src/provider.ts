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
  | 'responses'
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
  ocr: '/v1/ocr',
} as const

/** Metered endpoints of the OpenAI dialect. Their paths are the same here and at the provider. */
export const RELAY_PATHS = { ...TEXT_PATHS, ...TASK_PATHS } as const

export type RelayEndpoint = keyof typeof RELAY_PATHS

/** Endpoints with text or vector output, priced per token. */
export type TextEndpoint = keyof typeof TEXT_PATHS

/** See `tasks/task.ts`. */
export type TaskEndpoint = keyof typeof TASK_PATHS

export const isTaskEndpoint = (endpoint: RelayEndpoint): endpoint is TaskEndpoint =>
  Object.hasOwn(TASK_PATHS, endpoint)

export type ChannelOffer = RelayEndpoint | 'realtime'

export type BothLanguages = { readonly en: string; readonly zh: string }

/** A form field specific to this channel type. The console renders it from this data. */
export type ChannelField = {
  readonly name: 'base_url' | 'other'
  readonly label: BothLanguages
  readonly hint: BothLanguages
  readonly placeholder?: string
  readonly default?: string
  readonly required?: boolean
}

/**
 * How a provider continues a given prefix of its answer: the request ends with a marked assistant
 * message. Some providers repeat the prefix before they continue.
 */
export type PrefillSupport = {
  readonly member: 'prefix' | 'partial'
  readonly repeatsPrefill: boolean
  /** The mark cannot be combined with JSON output. */
  readonly excludesJson?: true
}

export type ProviderDescriptor = {
  /** The channel type id, which is stored and sent on the wire. */
  readonly type: number
  readonly name: BothLanguages
  readonly color: ProviderColor
  /** Empty where the operator must enter one. */
  readonly baseUrl: string
  /** The protocol of its requests. */
  readonly dialect: ProviderDialect
  /**
   * Stands in place of `/v1` in the paths of OpenAI's dialect. It is appended to the address unless
   * the address ends with it.
   */
  readonly versionPath?: string
  /** The address may be that of a task, and may contain `{model}`. */
  readonly takesWholeAddress?: true
  /** Sent for servers that want no key, because a channel has one. */
  readonly usualKey?: string
  /** How a key with several parts is joined. */
  readonly keyFormat?: string
  /** Keys must match this pattern; absent where any text may be a key. */
  readonly keyPattern?: RegExp
  /** Fields of the channel form besides name, key and models. */
  readonly fields: readonly ChannelField[]
  /** Offered in the channel form, the current ones first. */
  readonly models: readonly string[]
  /** The unit of the provider's balance; null where the provider has no balance query. */
  readonly balanceUnit: 'usd' | 'cny' | 'cny/10000' | 'number' | null
  /** Top-level request members that the provider rejects; the relay removes them. */
  readonly dropFields?: readonly string[]
  /** Top-level request members that the provider knows by another name. */
  readonly renameFields?: Readonly<Record<string, string>>
  /** Tool call ids must be nine letters and digits; other ids are converted. */
  readonly requiresShortCallIds?: true
  /** Top-level request members that the relay sets. */
  readonly setFields?: Readonly<Record<string, string | number | boolean>>
  /** Whether a stream always ends with its usage, or only with `stream_options.include_usage`. */
  readonly streamUsage: 'on-request' | 'always'
  /** Endpoints whose answers may lack usage; the gateway then counts it. */
  readonly mayOmitUsage?: readonly RelayEndpoint[]
  /** Transcripts are always JSON: the provider supports neither plain text nor subtitles. */
  readonly jsonTranscriptsOnly?: true
  readonly prefill?: PrefillSupport
  /** The provider ignores output limits, so the hold must cover the longest possible answer. */
  readonly ignoresOutputLimit?: true
  /** The provider adds text of its own, so it may report more prompt tokens than were sent. */
  readonly addsToPrompt?: true
  /** Which headers identify this site to the provider. */
  readonly headers?: 'openrouter'
  /** The endpoints that the provider has; it gets no other request. */
  readonly supports: readonly ChannelOffer[]
}

/**
 * Endpoints of OpenAI and of resellers that forward everything to OpenAI, plus rerank and OCR,
 * which other providers serve under the same path scheme.
 */
export const OPENAI_ENDPOINTS: readonly ChannelOffer[] = [
  // Safe because these are the names of the paths.
  ...(Object.keys(RELAY_PATHS) as RelayEndpoint[]),
  'realtime',
]

/** A list of names without spaces. */
export const words = (list: string): readonly string[] => list.trim().split(/\s+/)

export const wordSet = (list: string): ReadonlySet<string> => new Set(words(list))
