import { readDataUrl } from '../../codec/data-url.ts'
import { readJson } from '../../json-parse.ts'
import { member, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { writeJson } from '../../json-write.ts'
import { NestedJson } from '../../nested-json.ts'
import { signatureOf } from '../../providers/google-gemini/signatures.ts'
import type { Steps } from '../../steps.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import { inputOf } from '../nesting.ts'
import { choicesOf } from '../openai/answer.ts'
import { argumentsText, withoutEncoding } from '../openai/call-input.ts'
import { isCutOff } from '../openai/finish-reason.ts'
import { ReasoningDetails, sealDetails } from '../openai/reasoning-details.ts'

/** `metered` replaces usage that was not reported. */
export function* generateContentAnswer(
  body: Buffer,
  metered: Usage,
  includeThoughts: boolean,
): Steps<Buffer> {
  const json = yield* readJson(body)
  const context = { includeThoughts, nested: new NestedJson() }
  const answer = {
    candidates: choicesOf(json).map((choice, at) => candidateOf(choice, at, context)),
    usageMetadata: usageMetadata(parseUsage(member(json, 'usage')) ?? metered),
    modelVersion: textOf(member(json, 'model')),
    responseId: textOf(member(json, 'id')),
  }
  return yield* writeJson(answer, body.length)
}

function candidateOf(
  choice: JsonRecord,
  at: number,
  { includeThoughts, nested }: { includeThoughts: boolean; nested: NestedJson },
): JsonRecord {
  const { message, index, finish_reason: reason, logprobs } = choice
  const details = new ReasoningDetails()
  details.pushAll(message)
  const signature = signatureOf(message) || sealedDetails(details)
  const parts = signedParts(outputParts(message, includeThoughts), signature)
  const calls = listOf(member(message, 'tool_calls')).map((call) => {
    const named = member(call, 'function')
    const [id, name] = [textOf(member(call, 'id')), textOf(member(named, 'name'))]
    const args = withoutEncoding(argumentsText(member(named, 'arguments')))
    return callPart({ id, name, args, signature: signatureOf(call) }, nested)
  })
  return {
    content: contentOf([...parts, ...calls]),
    finishReason: finishReasonOf(reason),
    index: typeof index === 'number' ? index : at,
    ...logprobsMember(logprobs),
  }
}

/** Details in place of the signature; empty if there are none. */
export const sealedDetails = ({ entries }: ReasoningDetails): string =>
  entries.length === 0 ? '' : sealDetails(entries)

/** Google's clients drop contents without parts. */
export const contentOf = (parts: readonly JsonRecord[]) => ({
  role: 'model',
  parts: parts.length === 0 ? [{ text: '' }] : parts,
})

/** Text, images and (optionally) reasoning of a message or delta, without tool calls. */
function outputParts(message: unknown, includeThoughts: boolean): JsonRecord[] {
  const reasoning = textOf(member(message, 'reasoning_content') ?? member(message, 'reasoning'))
  const content = member(message, 'content')
  const parts: JsonRecord[] = [
    ...textParts(reasoning, { thought: true }),
    ...(Array.isArray(content) ? content.flatMap(contentParts) : textParts(textOf(content))),
    ...textParts(textOf(member(message, 'refusal'))),
    ...listOf(member(message, 'images')).flatMap(imageParts),
  ]
  return includeThoughts ? parts : parts.filter(({ thought }) => thought !== true)
}

const textParts = (text: string, more: JsonRecord = {}): JsonRecord[] =>
  text === '' ? [] : [{ text, ...more }]

/** Some providers answer with a list of parts in which thinking is again a list. */
function contentParts(part: unknown): JsonRecord[] {
  const thinking = member(part, 'thinking')
  const reasoning = Array.isArray(thinking)
    ? thinking.map((piece) => textOf(member(piece, 'text'))).join('')
    : textOf(thinking)
  return [
    ...textParts(reasoning, { thought: true }),
    ...textParts(textOf(member(part, 'text'))),
    ...imageParts(part),
  ]
}

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
