import { OPTIONS, type OptionValues } from '@tollgate/contract'
import { attachmentsOf, type Attachment } from './dialects/openai/attachments.ts'
import { type RelayRequest, titleOf } from './dialects/openai/request.ts'
import { imageSize } from './image-size.ts'
import { imageTokens } from './image-tokens.ts'
import { isRecord, type JsonRecord, member } from './json-value.ts'
import {
  isDeepseek,
  loadCounter,
  tokenizerOf,
  TOKENS_PER_BYTE,
  type Tokenizer,
} from './token-encodings.ts'
import { toolTokens } from './tool-tokens.ts'

/** At worst (Chinese without any punctuation) counting this much keeps a core for about 0.1 s. */
const EXACT_BYTES_MAX = OPTIONS.ExactTokenBytes.default
const REPLY_PRIMER = 3

export type CountOptions = {
  /** Text beyond this many bytes is estimated; 0 estimates everything. */
  readonly exactBytesMax?: number
  /** How such text is estimated. */
  readonly beyond?: (text: string) => number
  /** Told of each text that is. */
  readonly onEstimate?: () => void
}

/** As the options have it. */
export const countOptions = ({
  ApproximateTokenEnabled,
  ExactTokenBytes,
}: Pick<OptionValues, 'ApproximateTokenEnabled' | 'ExactTokenBytes'>): CountOptions => ({
  exactBytesMax: ApproximateTokenEnabled ? 0 : ExactTokenBytes,
})

/** The tokens of a text as the model counts them; estimated, rounded up, for other vendors' models. */
export async function countText(
  model: string,
  text: string,
  options: CountOptions = {},
): Promise<number> {
  const count = await textCounter(model, options)
  return count(text)
}

/** Whether the tokens of a model are counted as its vendor does; those of others are an average. */
export const countsExactly = (model: string): boolean => tokenizerOf(model).isOpenai

/** The tokens of everything that is sent: what an upstream reports as prompt_tokens, or near it. */
export async function countPrompt(
  request: RelayRequest,
  options: CountOptions & { model?: string } = {},
): Promise<number> {
  const { model = request.model } = options
  const count = await textCounter(model, options)
  if (request.endpoint === 'chat') {
    const tokens = chatTokens(request, model, count)
    return Math.min(tokens, request.promptTokensMost)
  }
  if (request.endpoint === 'completions') return promptTokens(request.json()['prompt'], count)
  const json = request.json()
  const { title, times } = titleOf(json)
  return promptTokens(json['input'], count) + count(title) * times
}

/**
 * No tokenizer makes more of this request than that: its texts are counted, and everything else in the
 * body, which a vendor may put into the prompt too, is a token per byte.
 */
export async function countPromptMost(
  request: RelayRequest,
  options: CountOptions = {},
): Promise<number> {
  const count = await textCounter(request.model, { beyond: byteLength, ...options })
  const spared = promptTexts(request).reduce(
    (sum, text) => sum + Math.max(0, byteLength(text) - count(text)),
    0,
  )
  return request.promptTokensMost - spared
}

const byteLength = (text: string) => Buffer.byteLength(text)

function promptTexts({ endpoint, json: whole }: RelayRequest): string[] {
  const json = whole()
  if (endpoint !== 'chat') {
    return [endpoint === 'completions' ? json['prompt'] : json['input']].flat().filter(isText)
  }
  const messages = Array.isArray(json['messages']) ? json['messages'] : []
  return messages
    .flatMap((message) => {
      const content = member(message, 'content')
      return Array.isArray(content) ? content.map((part) => member(part, 'text')) : [content]
    })
    .filter(isText)
}

type Count = (text: string) => number

/**
 * All texts counted by one counter share its limit, however many they are. What cannot be counted, as its encoding cannot
 * be loaded or fails, is estimated: it was delivered all the same.
 */
async function textCounter(model: string, options: CountOptions): Promise<Count> {
  const estimated = (text: string, how = estimate) => {
    if (text !== '') options.onEstimate?.()
    return how(text)
  }
  let exactBytesLeft = options.exactBytesMax ?? EXACT_BYTES_MAX
  if (exactBytesLeft <= 0) return (text) => estimated(text)
  if (isDeepseek(model)) return deepseekTokens
  const { encoding, factor } = tokenizerOf(model)
  const exact = await loadCounter(encoding)
  return (text) => {
    const bytes = Buffer.byteLength(text)
    if (bytes > exactBytesLeft) return estimated(text, options.beyond)
    exactBytesLeft -= bytes
    const tokens = exact(text)
    if (tokens === null) return estimated(text, options.beyond)
    // Text that takes more than 1.5 bytes a character is mostly Chinese, Japanese or Korean.
    return Math.ceil(tokens * (bytes > 1.5 * text.length ? factor.cjk : factor.latin))
  }
}

function estimate(text: string): number {
  return Math.floor(Buffer.byteLength(text) * TOKENS_PER_BYTE)
}

function deepseekTokens(text: string): number {
  const wide = text.replaceAll(/[\0-\u02ff]/g, '').length
  return Math.ceil((text.length - wide) * 0.3 + wide * 0.6)
}

/** A text, several, or lists of tokens, whose length is their count. */
function promptTokens(content: unknown, count: Count): number {
  if (typeof content === 'string') return count(content)
  if (!Array.isArray(content)) return 0
  return content.reduce<number>(
    (sum, item) => sum + (typeof item === 'number' ? 1 : promptTokens(item, count)),
    0,
  )
}

function chatTokens({ json: whole }: RelayRequest, model: string, count: Count): number {
  const json = whole()
  const messages = Array.isArray(json['messages']) ? json['messages'] : []
  const isOldest = model === 'gpt-3.5-turbo-0301'
  const tokenizer = tokenizerOf(model)
  const said = messages.reduce<number>(
    (sum, message) => sum + messageTokens(message, isOldest, count),
    REPLY_PRIMER,
  )
  const attached = attachmentsOf(json).reduce(
    (sum, attachment) => sum + attachmentTokens(model, attachment),
    0,
  )
  return said + attached + requestToolTokens(json, tokenizer, count)
}

function requestToolTokens(json: JsonRecord, tokenizer: Tokenizer, count: Count): number {
  const tools = [json['tools'], json['functions']].filter(Array.isArray).flat()
  return tools.length === 0 ? 0 : toolTokens(tools, tokenizer, count)
}

/** Each message has a frame of 3 tokens around role, name and content (4 and −1 in the oldest model). */
function messageTokens(message: unknown, isOldest: boolean, count: Count): number {
  const name = member(message, 'name')
  const named = typeof name === 'string' ? count(name) + (isOldest ? -1 : 1) : 0
  return (
    (isOldest ? 4 : 3) +
    countIfText(member(message, 'role'), count) +
    contentTokens(member(message, 'content'), count) +
    countIfText(member(message, 'reasoning_content'), count) +
    named +
    callTokens(message, count)
  )
}

function contentTokens(content: unknown, count: Count): number {
  if (!Array.isArray(content)) return countIfText(content, count)
  return content.reduce<number>(
    (sum, part) =>
      sum + countIfText(member(part, 'text'), count) + countIfText(member(part, 'refusal'), count),
    0,
  )
}

const CALL_FRAME = 3

function callTokens(message: unknown, count: Count): number {
  const calls = member(message, 'tool_calls')
  const functions = Array.isArray(calls)
    ? calls.map((call) => member(call, 'function') ?? member(call, 'custom'))
    : []
  return [...functions, member(message, 'function_call')]
    .filter(isRecord)
    .reduce(
      (sum, call) =>
        sum +
        CALL_FRAME +
        countIfText(call['name'], count) +
        countIfText(call['arguments'] ?? call['input'], count),
      0,
    )
}

function countIfText(value: unknown, count: Count): number {
  return isText(value) ? count(value) : 0
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** An ordinary recording has 16 kB a second, which is 32 tokens at most. */
const AUDIO_BYTES_PER_TOKEN = 500
/** A page of a document is about this large, and is read as an image. */
const PAGE_BYTES = 50_000

function attachmentTokens(model: string, { kind, source, detail }: Attachment): number {
  const bytes = source.length * 0.75
  switch (kind) {
    case 'image':
      return imageTokens(model, imageSize(source), detail)
    case 'audio':
      return Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN)
    case 'file':
      return Math.max(1, Math.ceil(bytes / PAGE_BYTES)) * imageTokens(model, null)
    case 'unknown':
      return 0
  }
}
