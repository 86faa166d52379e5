import {
  ifChanged,
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  member,
  textOf,
} from '../../bytes/json-value.ts'
import { MISTRAL_IDS } from '../../cards/alphabets.ts'
import type { Alphabet, ContentRules, ModelCard } from '../../cards/model-card.ts'
import { missingTools } from '../../fit/declared-calls.ts'
import { CallIds, withId } from '../../fit/ids.ts'
import { withNamedMedia } from '../../fit/media.ts'
import { fits, renamedCall, type Renames } from '../../fit/names.ts'
import { inOrder, type OrderRules } from '../../fit/order.ts'
import { ABORTED, pairMessages, type PairRules, toldResult } from '../../fit/pairs.ts'
import { HISTORY, markAnswered } from '../../form/history-mark.ts'
import { PARAGRAPH } from '../../form/request.ts'
import { trueDataUrl, imageAddress } from '../../media/data-url.ts'
import {
  AcceptedMessages,
  callsIn,
  isOrdered,
  isTemplate,
  isText,
  nameIn,
  type VendorRules,
} from './accepted-message.ts'
import { withoutFunctionRole } from './function-role.ts'
import { writeTool } from './write-request.ts'

/*
 * A session that went from model to model, or was interrupted, has a history that strict vendors of
 * chat completions refuse. It is mended in place, and everything else stays as the client sent it.
 */

/** Members to replace; empty if the vendor accepts the history. `isOutline`: without long texts. */
export function mendedMembers(
  json: JsonRecord,
  vendor: VendorRules,
  isOutline: boolean,
): JsonRecord {
  const given = listOf(json['messages'])
  const accept = new AcceptedMessages(json, vendor, isOutline)
  const messages = mendMessages(given, vendor, accept)
  const tools = listOf(json['tools'])
  const declared = mapRecords(tools, (tool) => accept.tool(tool))
  const missing = vendor.card.tools.takesUndeclaredCalls
    ? []
    : missingTools(messages.flatMap(callsIn).map(nameIn), declared.map(nameIn))
  return {
    ...(messages === given ? {} : { messages }),
    ...(missing.length === 0 && declared === tools
      ? {}
      : { tools: [...declared, ...missing.map(writeTool)] }),
    ...(missing.length === 0 || declared.length > 0 ? {} : { tool_choice: 'none' }),
    ...(accept.renames.size === 0 ? {} : choiceMember(json, accept.renames)),
  }
}

function choiceMember({ tool_choice: choice }: JsonRecord, renames: Renames): JsonRecord {
  const allowed = member(choice, 'allowed_tools')
  if (!isRecord(choice)) return {}
  if (!isRecord(allowed)) return { tool_choice: renamedCall(choice, renames) }
  const tools = listOf(allowed['tools']).map((tool) => renamedCall(tool, renames))
  return { tool_choice: { ...choice, allowed_tools: { ...allowed, tools } } }
}

/** The same list if nothing changes. */
function mendMessages(
  given: readonly unknown[],
  vendor: VendorRules,
  accept: AcceptedMessages,
): readonly unknown[] {
  const { card } = vendor
  const former = card.vendor === 'openai' ? given : withoutFunctionRole(given)
  const takesShowing = card.vendor !== 'openai' && card.content.takesResultLists
  const shown = takesShowing ? former : withTextResults(former)
  const accepted = acceptedMessages(shown, accept)
  const alphabet = idsOf(vendor)
  const isSound = hasSoundCalls(accepted, alphabet)
  const paired = isSound ? accepted : withFittedIds(pairMessages(accepted, PAIRS), alphabet)
  const readable = withNamedMedia(paired, isReadBy(card))
  return ifChanged(given, inOrder(readable, orderOf(card), ORDER))
}

const roleOf = (message: unknown) => member(message, 'role')
const isResult = (message: unknown): message is JsonRecord => roleOf(message) === 'tool'
const idsIn = (message: unknown) => callsIn(message).map((call) => textOf(member(call, 'id')))
const resultId = (result: JsonRecord) => textOf(result['tool_call_id'])

/** A text alone may stand in place of parts. */
const partsIn = (content: unknown): readonly unknown[] =>
  typeof content === 'string' && content !== '' ? [textPart(content)] : listOf(content)

const textPart = (text: string) => ({ type: 'text', text })
const textIn = ({ content }: JsonRecord) =>
  partsIn(content)
    .filter(isText)
    .map((part) => textOf(member(part, 'text') ?? part))
    .join(PARAGRAPH)
const mediaIn = ({ content }: JsonRecord) => listOf(content).filter((part) => !isText(part))

/** What results show besides texts follows in a message of the user. */
function withTextResults(messages: readonly unknown[]): readonly unknown[] {
  const isShowing = (message: unknown) => isResult(message) && mediaIn(message).length > 0
  if (!messages.some(isShowing)) return messages
  let media: unknown[] = []
  return messages.flatMap((message, at) => {
    if (!isResult(message)) return [message]
    const shown = mediaIn(message)
    const texts = listOf(message['content']).filter(isText)
    const told =
      shown.length === 0 ? message : { ...message, content: texts.length === 0 ? '' : texts }
    media = [...media, ...shown]
    if (media.length === 0 || isResult(messages[at + 1])) return [told]
    const following = { role: 'user', content: media, [HISTORY]: true }
    media = []
    return [told, following]
  })
}

/** Without messages of which the vendor accepts nothing. */
function acceptedMessages(given: readonly unknown[], accept: AcceptedMessages): readonly unknown[] {
  const accepted: unknown[] = []
  for (const [at, one] of given.entries()) {
    const message = isRecord(one) ? accept.message(one) : one
    if (accept.isSilent(message)) markAnswered(accepted)
    else if (at === given.length - 1 || !accept.isBlankQuestion(message)) accepted.push(message)
  }
  // A request without any message is refused.
  return accepted.length === 0 ? given : ifChanged(given, accepted)
}

/** Each result stands behind its call, and no id is refused. */
function hasSoundCalls(messages: readonly unknown[], alphabet: Alphabet): boolean {
  const waiting = new Set<unknown>()
  for (const message of messages) {
    if (isResult(message) ? !waiting.delete(message['tool_call_id']) : waiting.size > 0)
      return false
    for (const call of callsIn(message)) {
      const id = member(call, 'id')
      const isFitting = id !== '' && typeof id === 'string' && fits(id, alphabet)
      if (!isFitting || waiting.has(id)) return false
      waiting.add(id)
    }
  }
  return waiting.size === 0
}

const PAIRS: PairRules<unknown, JsonRecord> = {
  isAnswer: (message) => roleOf(message) === 'assistant',
  callIds: idsIn,
  isResult,
  resultId,
  aborted: (id) => ({ role: 'tool', tool_call_id: id, content: ABORTED }),
  joined: (first, second) => {
    const media = [first, second].flatMap(mediaIn)
    const text = `${textIn(first)}\n${textIn(second)}`
    return { ...first, content: media.length === 0 ? text : [textPart(text), ...media] }
  },
  told: (result) => {
    const media = mediaIn(result)
    const text = toldResult(textOf(result['name']) || resultId(result), textIn(result))
    if (media.length === 0) return { role: 'user', content: text }
    return { role: 'user', content: [textPart(text), ...media], [HISTORY]: true }
  },
}

const ANY_ID = /^/

/** Templates take a few characters only, and some models of OpenAI no longer ids. */
function idsOf({ card, rules: { ids } }: VendorRules): Alphabet {
  if (ids !== null && (ids === MISTRAL_IDS || isTemplate(card))) return ids
  return { pattern: ANY_ID, lengthMax: ids === null ? Infinity : Math.max(ids.lengthMax, 40) }
}

function withFittedIds(messages: readonly unknown[], alphabet: Alphabet): readonly unknown[] {
  const isUnique = messages.some((message) => hasUnclearIds(idsIn(message)))
  const callIds = new CallIds(alphabet, { isUnique })
  const ofResult = (id: string) => callIds.ofResult(id)
  return mapRecords(messages, (message) => {
    if (roleOf(message) === 'tool') return withId(message, 'tool_call_id', ofResult)
    const calls = callsIn(message)
    const fitted = mapRecords(calls, (call) => withId(call, 'id', (id) => callIds.ofCall(id)))
    return fitted === calls ? message : { ...message, tool_calls: fitted }
  })
}

/** Some calls of a message have the same id, or none. */
const hasUnclearIds = (ids: readonly string[]) => new Set(ids).size < ids.length || ids.includes('')

const IMAGES = /^data:image\/(?:png|jpe?g|gif|webp);|^https?:/i

/** Which parts of earlier turns and of results the vendor takes. */
function isReadBy({ vendor, content }: ModelCard): (part: unknown) => boolean {
  if (content.takesTextOnly) return () => false
  if (!content.takesUnknownMembers) return (part) => member(part, 'type') !== 'video_url'
  return vendor === 'openai' ? isReadByOpenai : () => true
}

function isReadByOpenai(part: unknown): boolean {
  const type = textOf(member(part, 'type'))
  const value = member(part, type)
  if (type === 'input_audio') return /^(?:wav|mp3)$/.test(textOf(member(value, 'format')))
  return type === 'image_url' ? IMAGES.test(trueDataUrl(imageAddress(value))) : type === 'file'
}

/** Only known demands count: most vendors take a message of the system anywhere. */
const orderOf = (card: ModelCard): ContentRules =>
  isOrdered(card) ? card.content : { ...card.content, system: 'any' }

const ORDER: OrderRules<unknown> = {
  roleOf,
  asUser: (message) => (isRecord(message) ? { ...message, role: 'user' } : message),
  joined: (first, second) => {
    if (!isRecord(first) || !isRecord(second)) return second
    const calls = [...callsIn(first), ...callsIn(second)]
    return {
      ...first,
      ...second,
      content: joinedContent(first['content'], second['content']),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
  },
  acknowledgement: { role: 'assistant', content: 'OK.' },
}

/** A text of each become two paragraphs. */
function joinedContent(first: unknown, second: unknown): unknown {
  const parts = [...partsIn(first), ...partsIn(second)]
  if (parts.length === 0) return second ?? first
  return parts.every(isText) ? textIn({ content: parts }) : parts
}
