import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { signatureValue } from '../../fit/google-signatures.ts'
import { pairCalls } from '../../fit/pairs.ts'
import { AnswerBuilder } from '../../form/answer-builder.ts'
import type { ListReader } from '../../form/content-cipher.ts'
import { HISTORY, lastAnswerIn, markAnswered } from '../../form/history-mark.ts'
import { NestedJson } from '../../form/nested-json.ts'
import {
  type Block,
  type Loss,
  type Message,
  textBlocks,
  type ToolCall,
  type ToolResult,
} from '../../form/request.ts'
import { fieldError } from '../fields.ts'
import { decryptDetails, isOwnSignature } from '../openai-chat/reasoning-details.ts'
import { readField, readListField, roleOf, type Role } from './fields.ts'
import { messageParts, type PlacedPart, placedParts } from './read-parts.ts'

/** Consecutive contents of one role. Clients keep each chunk of a stream as a content. */
type Turn = { readonly role: Role; readonly parts: PlacedPart[] }

/** The system instruction comes first. Throws `UnsupportedParameterError`. */
export function* chatMessages(
  request: JsonRecord,
  { cipher, losses }: Pick<Context, 'cipher' | 'losses'>,
): Steps<readonly Message[]> {
  const contents = readListField(request, 'contents')
  if (contents.length === 0) throw fieldError('contents', 'must have at least one content')
  const pendingCalls = new PendingCalls()
  const context = { cipher, losses, pendingCalls, nested: new NestedJson() }
  const chat = systemMessage(readField(request, 'systemInstruction'), losses)
  const turns = yield* turnsOf(contents, losses)
  for (const { role, parts } of turns) {
    const messages = role === 'model' ? modelMessage(parts, context) : userMessages(parts, context)
    if (role === 'model' && messages.length === 0) markAnswered(chat)
    for (const message of messages) chat.push(message)
    yield
  }
  return pairCalls(chat)
}

function systemMessage(instruction: unknown, losses: Set<Loss>): Message[] {
  if (instruction === undefined) return []
  if (typeof instruction === 'string') return [{ role: 'system', blocks: textBlocks(instruction) }]
  const parts = placedParts(instruction, 'systemInstruction', { losses })
  const content = parts.flatMap(messageParts)
  const other = content.findIndex(({ type }) => type !== 'text')
  if (other !== -1) throw fieldError('systemInstruction', 'must be text')
  return content.length === 0 ? [] : [{ role: 'system', blocks: content }]
}

function* turnsOf(contents: readonly unknown[], losses: Set<Loss>): Steps<Turn[]> {
  const turns: Turn[] = []
  const answered = lastAnswerIn(contents, (content) => roleOf(content) === 'model')
  for (const [index, content] of contents.entries()) {
    const path = `contents.${index}`
    const role = roleOf(content)
    const last = turns.at(-1)
    const turn = last?.role === role ? last : { role, parts: [] }
    if (turn !== last) turns.push(turn)
    const isHistory = index <= answered
    for (const part of placedParts(content, path, { isHistory, losses })) turn.parts.push(part)
    yield
  }
  return turns
}

/** Function results come first, each as its own message. Their media follow in a user message. */
function userMessages(parts: readonly PlacedPart[], { losses, pendingCalls }: Context): Message[] {
  const results: Message[] = []
  const blocks: Block[] = []
  let isHistory = false
  for (const placed of parts) {
    const { part, path } = placed
    const response = readField(part, 'functionResponse')
    if (response === undefined) {
      blocks.push(...messageParts(placed))
      continue
    }
    const place = `${path}.functionResponse`
    results.push(resultMessage(response, pendingCalls))
    const shown = placedParts(response, place, { isHistory: true, losses }).flatMap(messageParts)
    blocks.push(...shown)
    isHistory ||= shown.length > 0
  }
  if (blocks.length === 0) return results
  return [...results, { role: 'user', blocks, ...(isHistory && { [HISTORY]: true }) }]
}

function resultMessage(result: unknown, calls: PendingCalls): ToolResult {
  const name = textOf(readField(result, 'name'))
  const response = readField(result, 'response') ?? {}
  const id = calls.takeCall(textOf(readField(result, 'id')), name)
  const blocks = textBlocks(JSON.stringify(response))
  return { role: 'tool', callId: id ?? '', name: id === null ? name : '', blocks }
}

type Context = ListReader & {
  readonly pendingCalls: PendingCalls
  readonly losses: Set<Loss>
}

function modelMessage(parts: readonly PlacedPart[], context: Context): Message[] {
  const answer = new AnswerBuilder()
  for (const placed of parts) {
    const signature = textOf(readField(placed.part, 'thoughtSignature'))
    if (isOwnSignature(signature)) {
      const details = decryptDetails(signature, context)
      if (details === null) context.losses.add('reasoning')
      for (const detail of details ?? []) answer.addDetail(detail)
    }
    readModelPart(answer, placed, context.pendingCalls)
  }
  return [answer.message() ?? []].flat()
}

function readModelPart(
  answer: AnswerBuilder,
  placed: PlacedPart,
  pendingCalls: PendingCalls,
): void {
  const { part, path } = placed
  if (readField(part, 'thought') === true) {
    answer.reasoning += textOf(readField(part, 'text'))
    return
  }
  const given = textOf(readField(part, 'thoughtSignature'))
  const signature = given === '' || isOwnSignature(given) ? undefined : signatureValue(given)
  const call = readField(part, 'functionCall')
  if (call !== undefined) {
    const calls = toolCalls(call, pendingCalls)
    if (calls.length === 0) placed.losses.add('messages')
    answer.calls.push(...calls.map((one) => ({ ...one, signature })))
    return
  }
  const [block] = messageParts(placed)
  if (block?.type === 'image') {
    answer.images.push({ ...block, signature })
    return
  }
  if (block !== undefined && block.type !== 'text') {
    if (!placed.isHistory) {
      throw fieldError(
        path,
        'is a part that a model cannot have said: text, an image or a functionCall',
      )
    }
    placed.losses.add('media')
  }
  if (block?.type === 'text') answer.text += block.text
  answer.signature = signature ?? answer.signature
}

/** A call without a name is left out, and its result becomes a message of the user. */
function toolCalls(call: unknown, pendingCalls: PendingCalls): ToolCall[] {
  const name = textOf(readField(call, 'name'))
  if (name === '') return []
  const given = readField(call, 'args') ?? {}
  const args = isRecord(given) ? given : { arguments: given }
  const id = pendingCalls.addCall(textOf(readField(call, 'id')), name)
  return [{ type: 'tool-call', id, name, input: JSON.stringify(args) }]
}

/** Nine letters and digits, as the strictest provider (Mistral) requires. */
const madeId = (position: number) => `call${String(position).padStart(5, '0')}`

/** Function calls without a result yet. Google's clients may omit the ids of both. */
class PendingCalls {
  readonly #idsByName = new Map<string, Set<string>>()
  readonly #ids = new Set<string>()
  #count = 0

  /** The call's id; generated if the client sent none. */
  addCall(given: string, name: string): string {
    this.#count += 1
    const id = given === '' ? madeId(this.#count) : given
    const ids = this.#idsByName.get(name) ?? new Set()
    this.#idsByName.set(name, ids.add(id))
    this.#ids.add(id)
    return id
  }

  /** Without an id, the result answers the first open call of its name. Null without a call. */
  takeCall(given: string, name: string): string | null {
    const ids = this.#idsByName.get(name)
    const [first = null] = ids ?? []
    const id = given === '' ? first : given
    if (id !== null) ids?.delete(id)
    return id !== null && this.#ids.has(id) ? id : null
  }
}
