import { member, type JsonRecord, listOf, textOf } from '../../bytes/json-value.ts'
import { writeJson } from '../../bytes/json-write.ts'
import type { Steps } from '../../bytes/steps.ts'
import { signatureOf } from '../../fit/google-signatures.ts'
import {
  type Answer,
  type AnswerChoice,
  citationsIn,
  imagesOf,
  joinedText,
  sealsIn,
} from '../../form/answer.ts'
import type { ContentCipher } from '../../form/content-cipher.ts'
import type { ToolCallEvent } from '../../form/events.ts'
import { NestedJson, inputOf } from '../../form/nested-json.ts'
import { readDataUrl } from '../../media/data-url.ts'
import type { Usage } from '../../usage/usage.ts'
import type { ChargedAnswer } from '../client-dialect.ts'
import { withoutEncoding } from '../openai-chat/call-input.ts'
import { isCutOff } from '../openai-chat/finish-reason.ts'
import { encryptDetails, ReasoningDetails } from '../openai-chat/reasoning-details.ts'
import { groundingMember } from './grounding.ts'

export type AnswerOptions = {
  readonly includeThoughts: boolean
  readonly cipher: ContentCipher
}

export function generateContentAnswer(
  { head, choices }: Answer,
  { usage, bytes }: ChargedAnswer,
  { includeThoughts, cipher }: AnswerOptions,
): Steps<Buffer> {
  const context = { includeThoughts, cipher, nested: new NestedJson() }
  const answer = {
    candidates: choices.map((choice, index) => candidateOf(choice, index, context)),
    usageMetadata: usageMetadata(usage),
    modelVersion: head.model,
    responseId: head.id,
  }
  return writeJson(answer, bytes)
}

function candidateOf(
  { items, finishReason, logprobs }: AnswerChoice,
  index: number,
  { includeThoughts, cipher, nested }: AnswerOptions & { nested: NestedJson },
): JsonRecord {
  const details = new ReasoningDetails()
  for (const value of sealsIn(items, 'reasoning_detail')) details.push(value)
  const extra_content = sealsIn(items, 'signature').at(-1)
  const signature = signatureOf({ extra_content }) || encryptedDetails(details, cipher)
  const reasoning = includeThoughts ? joinedText(items, 'reasoning') : ''
  const parts = [
    ...textParts(reasoning, { thought: true }),
    ...textParts(joinedText(items, 'text')),
    ...textParts(joinedText(items, 'refusal')),
    ...imagesOf(items).flatMap(imageParts),
  ]
  const calls = items.flatMap((item) => {
    if (item.type !== 'tool-call' || item.isCustom) return []
    const { id, name, input } = item
    const call = { id, name, args: withoutEncoding(input), signature: callSignature(item) }
    return [callPart(call, nested)]
  })
  return {
    content: contentOf([...signedParts(parts, signature), ...calls]),
    finishReason: finishReasonOf(finishReason),
    index,
    ...groundingMember(citationsIn(items), joinedText(items, 'text')),
    ...logprobsMember(logprobs),
  }
}

export const callSignature = ({ signature }: Pick<ToolCallEvent, 'signature'>): string =>
  signatureOf({ extra_content: signature })

/** Details in place of the signature; empty if there are none. */
export const encryptedDetails = ({ entries }: ReasoningDetails, cipher: ContentCipher): string =>
  entries.length === 0 ? '' : encryptDetails(entries, cipher)

/** Google's clients drop contents without parts. */
export const contentOf = (parts: readonly JsonRecord[]) => ({
  role: 'model',
  parts: parts.length === 0 ? [{ text: '' }] : parts,
})

const textParts = (text: string, more: JsonRecord = {}): JsonRecord[] =>
  text === '' ? [] : [{ text, ...more }]

export function imageParts(image: unknown): JsonRecord[] {
  const url = textOf(member(member(image, 'image_url'), 'url'))
  if (url === '') return []
  const inline = readDataUrl(url)
  const part =
    inline === null
      ? { fileData: { mimeType: 'image/*', fileUri: url } }
      : { inlineData: { mimeType: inline.mediaType, data: inline.data } }
  return [{ ...part, ...signatureMember(signatureOf(image)) }]
}

/** Puts the signature of the content on its last text part, or on an empty text part. */
export function signedParts(
  parts: readonly JsonRecord[],
  signature: string,
): readonly JsonRecord[] {
  if (signature === '') return parts
  const last = parts.findLastIndex((part) => 'text' in part && part['thought'] !== true)
  if (last === -1) return [...parts, { text: '', thoughtSignature: signature }]
  return parts.map((part, at) => (at === last ? { ...part, thoughtSignature: signature } : part))
}

export type GatheredCall = {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly args: string
  readonly signature: string
}

export function callPart(
  { id, name, args, signature }: GatheredCall,
  nested: NestedJson,
): JsonRecord {
  const functionCall = { ...(id === '' ? {} : { id }), name, args: inputOf(args, nested) }
  return { functionCall, ...signatureMember(signature) }
}

const signatureMember = (signature: string) =>
  signature === '' ? {} : { thoughtSignature: signature }

export function finishReasonOf(reason: unknown): string {
  if (isCutOff(reason)) return 'MAX_TOKENS'
  return reason === 'content_filter' ? 'SAFETY' : 'STOP'
}

/** Google counts reasoning separately from the answer. */
export function usageMetadata(usage: Usage): JsonRecord {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usage
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens - reasoningTokens,
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
    ...(cachedTokens === 0 ? {} : { cachedContentTokenCount: cachedTokens }),
    totalTokenCount: promptTokens + completionTokens,
  }
}

export function logprobsMember(logprobs: unknown): JsonRecord {
  const content = listOf(member(logprobs, 'content'))
  if (content.length === 0) return {}
  const topCandidates = content.map((one) => ({
    candidates: listOf(member(one, 'top_logprobs')).map(tokenOf),
  }))
  return { logprobsResult: { topCandidates, chosenCandidates: content.map(tokenOf) } }
}

function tokenOf(one: unknown): JsonRecord {
  const logprob = member(one, 'logprob')
  return {
    token: textOf(member(one, 'token')),
    ...(typeof logprob === 'number' ? { logProbability: logprob } : {}),
  }
}
