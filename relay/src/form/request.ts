import { type JsonRecord, isRecord, member } from '../bytes/json-value.ts'
import type { Seal } from './events.ts'
import type { HistoryMark } from './history-mark.ts'

/*
 * A chat, whatever the API of its client and of its provider. Readers of a wire make it, `fit`
 * adapts it to a model, and writers of a wire send it. Lists are as long as the body that a reader
 * has bounded.
 */

export type ChatForm = {
  readonly messages: readonly Message[]
  readonly tools: readonly Tool[]
  readonly settings: Settings
  /** Parts of the history that no form can express; absent for none. */
  readonly losses?: readonly Loss[] | undefined
}

export type Loss = 'media' | 'messages' | 'reasoning'

export const lossMember = (losses: ReadonlySet<Loss>): Pick<ChatForm, 'losses'> =>
  losses.size === 0 ? {} : { losses: [...losses] }

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResult

/** An instruction of the developer. */
export type SystemMessage = { readonly role: 'system'; readonly blocks: readonly Block[] }

export type UserMessage = HistoryMark & {
  readonly role: 'user'
  readonly blocks: readonly Block[]
}

export type AssistantMessage = {
  readonly role: 'assistant'
  /** Unsigned; empty for none. No API accepts it at a place of its own. */
  readonly reasoning: string
  /** In the order of the answer. */
  readonly blocks: readonly AssistantBlock[]
  /** The provider's signature of the text; undefined if unsigned. */
  readonly signature?: unknown
}

export type ToolResult = {
  readonly role: 'tool'
  /** Empty if the client names no call. */
  readonly callId: string
  /** The tool's name, for a result without a call; empty if unknown. */
  readonly name: string
  readonly blocks: readonly Block[]
  readonly cacheMark?: CacheMark | undefined
}

export type Block = TextBlock | ImageBlock | AudioBlock | FileBlock | OpaqueBlock

export type AssistantBlock = Block | SealBlock | ToolCall

/** The end of a part of the prompt that the provider caches. */
export type CacheMark = JsonRecord & { readonly type: 'ephemeral' }

type Marked = { readonly cacheMark?: CacheMark | undefined }

export type TextBlock = Marked & { readonly type: 'text'; readonly text: string }

export type ImageBlock = Marked & {
  readonly type: 'image'
  /** An address or a data URL. */
  readonly url: string
  readonly detail?: string | undefined
  /** The signature of the provider that made the image; undefined if unsigned. */
  readonly signature?: unknown
}

export type AudioBlock = Marked & {
  readonly type: 'audio'
  /** Base64. */
  readonly data: string
  readonly format: string
}

export type FileBlock = Marked & {
  readonly type: 'file'
  readonly name?: string | undefined
  /** A data URL or an address. */
  readonly data?: string | undefined
  /** Known only to the provider that stores the file. */
  readonly id?: string | undefined
}

/** A part that only providers of chat completions know. */
export type OpaqueBlock = { readonly type: 'opaque'; readonly part: JsonRecord }

/** Reasoning that its provider encrypted or signed. */
export type SealBlock = { readonly type: 'seal'; readonly seal: Seal }

export type ToolCall = Marked & {
  readonly type: 'tool-call'
  readonly id: string
  readonly name: string
  /** JSON, or the text itself for a custom tool. */
  readonly input: string
  readonly isCustom?: boolean | undefined
  /** The provider's signature of the call; undefined if unsigned. */
  readonly signature?: unknown
}

export type Tool = Marked & {
  /** The input of a custom tool is a text. */
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly description?: string | undefined
  /** A JSON schema. */
  readonly parameters?: JsonRecord | undefined
  readonly strict?: boolean | undefined
  /** The form of a custom tool's input, as chat completions state it. */
  readonly format?: JsonRecord | undefined
}

export type NamedTool = Pick<Tool, 'type' | 'name'>

export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | NamedTool
  | {
      readonly type: 'allowed_tools'
      readonly mode: 'auto' | 'required'
      readonly tools: readonly NamedTool[]
    }

const isNumber = (value: unknown): value is number => typeof value === 'number'
const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

/** What a setting must be. The provider would refuse other values, so they are left out. */
export const SETTING_CHECKS = {
  stream: isBoolean,
  stream_options: isRecord,
  max_tokens: isNumber,
  max_completion_tokens: isNumber,
  n: isNumber,
  temperature: isNumber,
  top_p: isNumber,
  top_k: isNumber,
  seed: isNumber,
  presence_penalty: isNumber,
  frequency_penalty: isNumber,
  logit_bias: isRecord,
  logprobs: isBoolean,
  top_logprobs: isNumber,
  response_format: isRecord,
  reasoning_effort: isText,
  /** Members of vendors that switch reasoning on or off, or limit it. */
  thinking: isRecord,
  reasoning: isRecord,
  enable_thinking: isBoolean,
  thinking_budget: isNumber,
  verbosity: isText,
  parallel_tool_calls: isBoolean,
  user: isText,
  safety_identifier: isText,
  metadata: isRecord,
  service_tier: isText,
  prompt_cache_key: isText,
  prompt_cache_retention: isText,
  /** Google's thresholds. */
  safety_settings: (value: unknown): value is readonly unknown[] => Array.isArray(value),
  /** Settings of chat completions alone, which change the answer. */
  audio: isRecord,
  web_search_options: isRecord,
} as const

type Checked<Check> = Check extends ((value: unknown) => value is infer Value) ? Value : never

type Values = {
  readonly [Name in keyof typeof SETTING_CHECKS]: Checked<(typeof SETTING_CHECKS)[Name]>
} & {
  readonly stop: readonly string[]
  readonly modalities: readonly string[]
  readonly tool_choice: ToolChoice
  /** Marks the end of the whole prompt. */
  readonly cache_control: CacheMark
}

/** Settings have the names of chat completions. An absent setting was not given. */
export type Settings = { readonly model: string } & {
  readonly [Name in keyof Values]?: Values[Name] | undefined
}

export const textBlock = (text: string): TextBlock => ({ type: 'text', text })

/** A text as a list of blocks; an empty text has none. */
export const textBlocks = (text: string): TextBlock[] => (text === '' ? [] : [textBlock(text)])

/** The texts of blocks, without other blocks. */
export const textsOf = (blocks: readonly AssistantBlock[]): string[] =>
  blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))

/** A chat of texts alone, for a request that no other API can express. */
export const textForm = (texts: readonly string[], settings: Settings): ChatForm => ({
  messages: [{ role: 'user', blocks: textBlocks(texts.join('\n')) }],
  tools: [],
  settings,
})

/** What providers want back of a kind. */
export const sealsOf = (blocks: readonly AssistantBlock[], kind: Seal['kind']): unknown[] =>
  blocks.flatMap((block) =>
    block.type === 'seal' && block.seal.kind === kind ? [block.seal.value] : [],
  )

export const callsOf = (message: Message): readonly ToolCall[] =>
  message.role === 'assistant' ? message.blocks.filter((block) => block.type === 'tool-call') : []

/** Whether the assistant's reasoning comes back with the message, readable or not. */
export const reasons = (message: Message): boolean =>
  message.role === 'assistant' &&
  (message.reasoning !== '' || message.blocks.some(({ type }) => type === 'seal'))

/** The blocks without seals. A text that a seal divides is whole again. */
export function withoutSeals(
  blocks: readonly AssistantBlock[],
): Exclude<AssistantBlock, SealBlock>[] {
  const kept: Exclude<AssistantBlock, SealBlock>[] = []
  let isDivided = false
  for (const block of blocks) {
    const last = kept.at(-1)
    if (block.type === 'seal') isDivided = last?.type === 'text'
    else {
      if (isDivided && last?.type === 'text' && block.type === 'text') {
        kept.splice(-1, 1, { ...block, text: last.text + block.text })
      } else kept.push(block)
      isDivided = false
    }
  }
  return kept
}

/** The larger of the two limits, as the gateway reads them; undefined if neither is set. */
export function outputLimitOf(request: JsonRecord): number | undefined {
  const { max_tokens, max_completion_tokens } = request
  const limits = [max_tokens, max_completion_tokens].filter(
    (limit) => typeof limit === 'number' && limit > 0,
  )
  return limits.length === 0 ? undefined : Math.max(...limits.map(Number))
}

/** The mark of a block, a call, a tool or a request, in the form of the Messages API. */
export function cacheMarkOf(source: unknown): { cacheMark?: CacheMark } {
  const mark = member(source, 'cache_control')
  return isRecord(mark) && mark['type'] === 'ephemeral'
    ? { cacheMark: { ...mark, type: 'ephemeral' } }
    : {}
}

/** Between texts that become one, such as the messages of an answer. */
export const PARAGRAPH = '\n\n'

/** Stands in for a message of the user that has nothing else. */
export const CONTINUE_TEXT = 'Continue.'
