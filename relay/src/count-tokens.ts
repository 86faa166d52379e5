import type { OptionValues } from '@tollgate/contract'
import { isRecord, type JsonRecord, member, listOf } from './bytes/json-value.ts'
import { finish, type Steps } from './bytes/steps.ts'
import { imageSize } from './media/image-size.ts'
import type { CountOptions, RelayRequest } from './relay-request.ts'
import { attachmentsOf, type Attachment } from './tokens/attachments.ts'
import { byteLength, countTexts } from './tokens/count-text.ts'
import { imageTokens } from './tokens/image-tokens.ts'
import { tokenizerOf, type Tokenizer } from './tokens/token-encodings.ts'
import { toolTokens } from './tokens/tool-tokens.ts'
import { toolCalls } from './wires/openai-chat/answer-summary.ts'
import { prepareRequest, titleOf } from './wires/openai-chat/read-head.ts'

export const countOptions = ({
  ApproximateTokenEnabled,
  ExactTokenBytes,
}: Pick<OptionValues, 'ApproximateTokenEnabled' | 'ExactTokenBytes'>): CountOptions => ({
  exactBytesMax: ApproximateTokenEnabled ? 0 : ExactTokenBytes,
})

/** Whether the model's own tokenizer is used; for other models the count is an average. */
export const countsExactly = (model: string): boolean => tokenizerOf(model).isOpenai

/**
 * Tokens of the whole prompt: the upstream's `prompt_tokens`, or close to it. A first pass over the
 * request collects its texts, and a second one adds up their counts.
 */
export async function countPrompt(
  request: RelayRequest,
  options: CountOptions & { model?: string } = {},
): Promise<number> {
  const { model = request.model, run = finish } = options
  const texts = await run(collectTexts(request, model))
  const counts = (await countTexts(model, texts, options)).values()
  return run(sumRequestTokens(request, model, () => counts.next().value ?? 0))
}

function* collectTexts(request: RelayRequest, model: string): Steps<string[]> {
  yield* prepareRequest(request)
  const texts: string[] = []
  yield* sumRequestTokens(request, model, (text) => {
    texts.push(text)
    return 0
  })
  return texts
}

function* sumRequestTokens(request: RelayRequest, model: string, count: Count): Steps<number> {
  yield
  return requestTokens(request, model, count)
}

function requestTokens(request: RelayRequest, model: string, count: Count): number {
  if (request.endpoint === 'chat') {
    return Math.min(chatTokens(request, model, count), request.promptTokensUpperBound)
  }
  const json = request.json()
  if (request.endpoint === 'completions') return promptTokens(json['prompt'], count)
  const { title, times } = titleOf(json)
  return promptTokens(json['input'], count) + count(title) * times
}

/**
 * An upper bound on the prompt tokens for any tokenizer. Texts are counted; every other byte of the
 * body counts as a token, since a provider may put it into the prompt.
 */
export async function countPromptUpperBound(
  request: RelayRequest,
  options: CountOptions = {},
): Promise<number> {
  const { run = finish } = options
  await run(prepareRequest(request))
  const texts = promptTexts(request)
  const counts = await countTexts(request.model, texts, { estimator: byteLength, ...options })
  const savings = texts.map((text, at) => Math.max(0, byteLength(text) - (counts[at] ?? 0)))
  return savings.reduce((tokens, bytes) => tokens - bytes, request.promptTokensUpperBound)
}

function promptTexts({ endpoint, json: parseBody }: RelayRequest): string[] {
  const json = parseBody()
  if (endpoint !== 'chat') {
    return [endpoint === 'completions' ? json['prompt'] : json['input']].flat().filter(isText)
  }
  return listOf(json['messages'])
    .flatMap((message) => {
      const content = member(message, 'content')
      return Array.isArray(content) ? content.map((part) => member(part, 'text')) : [content]
    })
    .filter(isText)
}

type Count = (text: string) => number

/** Takes a text, several texts, or lists of token ids, whose length is the count. */
function promptTokens(content: unknown, count: Count): number {
  if (typeof content === 'string') return count(content)
  if (!Array.isArray(content)) return 0
  return content.reduce<number>(
    (sum, item) => sum + (typeof item === 'number' ? 1 : promptTokens(item, count)),
    0,
  )
}

function chatTokens({ json: parseBody }: RelayRequest, model: string, count: Count): number {
  const json = parseBody()
  const messages = listOf(json['messages'])
  const isOldest = model === 'gpt-3.5-turbo-0301'
  const tokenizer = tokenizerOf(model)
  const messageSum = messages.reduce<number>(
    (sum, message) => sum + messageTokens(message, isOldest, count),
    REPLY_PRIMER,
  )
  const attachmentSum = attachmentsOf(json).reduce(
    (sum, attachment) => sum + attachmentTokens(model, attachment),
    0,
  )
  return messageSum + attachmentSum + requestToolTokens(json, tokenizer, count)
}

function requestToolTokens(json: JsonRecord, tokenizer: Tokenizer, count: Count): number {
  const tools = [json['tools'], json['functions']].filter(Array.isArray).flat()
  return tools.length === 0 ? 0 : toolTokens(tools, tokenizer, count)
}

/** A message has a frame of 3 tokens. In the oldest model the frame has 4, and a name saves 1. */
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
  return toolCalls(message)
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

/** A typical recording has 16 kB per second, which is at most 32 tokens. */
const AUDIO_BYTES_PER_TOKEN = 500
/** A document page has about this many bytes and is read as an image. */
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

const REPLY_PRIMER = 3
