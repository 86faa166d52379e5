import {
  ifChanged,
  isRecord,
  type JsonRecord,
  listOf,
  mapItems,
  mapRecords,
  member,
  omit,
  textOf,
} from '../../bytes/json-value.ts'
import { ANTHROPIC_IDS } from '../../cards/alphabets.ts'
import type { Adaptations } from '../../fit/adaptations.ts'
import { CallIds, withId } from '../../fit/ids.ts'
import { uniqueTools } from '../../fit/names.ts'
import { CONTINUE_TEXT } from '../../form/request.ts'
import { isOwnSignature } from '../openai-chat/reasoning-details.ts'
import { withoutBillingHeader } from './billing-header.ts'
import { limitCacheMarks } from './cache-marks.ts'
import { isClaude, isForeignSignature } from './foreign-signature.ts'
import { blocksOf, isBlank, mendMessages, withoutBlankTexts } from './mend-messages.ts'
import { traitsOf } from './model-traits.ts'

/*
 * A Messages request for a provider of the same dialect. Its history may be interrupted, or come
 * from other providers' models: Claude rejects their reasoning and the ids of their calls. The
 * others demand their own reasoning back, unsigned as it is (decolua/9router#2397).
 */

/**
 * Whether `historyEdits` change anything. In the outline, a long signature has its beginning, which
 * tells by whom it was made.
 */
export const hasForeignHistory = (outline: JsonRecord, model: string): boolean =>
  hasLongPrefill(outline) || Object.keys(historyEdits(outline, model)).length > 0

/** The outline may lack the end of a text of this length. */
const LONG = 64

const hasLongPrefill = ({ messages }: JsonRecord): boolean =>
  textOf(member(prefillOf(listOf(messages)), 'text')).length >= LONG

/** The text that ends a last message of the assistant. */
function prefillOf(messages: readonly unknown[]): JsonRecord | null {
  const last = messages.at(-1)
  const block = roleOf(last) === 'assistant' ? blocksOf(last).at(-1) : null
  return isRecord(block) && block['type'] === 'text' ? block : null
}

/**
 * Newer Claudes continue no answer (anthropics/claude-code#52433, anomalyco/opencode#13768), and
 * older ones none with reasoning or a format, or with space at its end (GCWing/OpenBitFun#825).
 */
function withEnding(
  json: JsonRecord,
  messages: readonly unknown[],
  model: string,
): readonly unknown[] {
  const [prefill, last] = [prefillOf(messages), messages.at(-1)]
  if (prefill === null || !isRecord(last)) return messages
  if (!traitsOf(model).acceptsPrefill || isThinking(json) || isFormatted(json)) {
    return [...messages, { role: 'user', content: CONTINUE_TEXT }]
  }
  const text = textOf(prefill['text']).trimEnd()
  if (text === prefill['text']) return messages
  const content = [...blocksOf(last).slice(0, -1), { ...prefill, text }]
  return [...messages.slice(0, -1), { ...last, content }]
}

/** Edits are JSON text by name; null removes a member. */
export function historyEdits(
  json: JsonRecord,
  model: string,
  adaptations?: Adaptations,
): Record<string, string | null> {
  const { system: told } = json
  const isOwn = isClaude(model)
  const system = withoutBlanks(isOwn ? told : withoutBillingHeader(told))
  const given = listOf(json['messages'])
  const turns = withoutSystemTurns(given, model)
  const signed = isOwn ? withoutUnsignedThinking(turns) : turns
  const mended = mendMessages(signed)
  const ended = isOwn ? withEnding(json, mended, model) : mended
  const messages = isOwn ? withUniqueIds(ended) : ended
  const isStopped = isOwn && endsThinking(json, messages)
  const givenTools = listOf(json['tools'])
  const known = isOwn ? givenTools : withoutOwnMembers(givenTools)
  const tools = uniqueTools(known, (tool) => member(tool, 'name'))
  const clears = !isOwn && isRecord(json['context_management'])
  if (system !== told || turns !== given) adaptations?.note('system')
  if (signed !== turns) adaptations?.note('reasoning')
  if (ended !== signed) adaptations?.note('messages')
  if (messages !== ended) adaptations?.note('tool_ids')
  if (isStopped) adaptations?.note('reasoning_effort')
  if (tools !== givenTools) adaptations?.note('tools')
  if (clears) adaptations?.note('other_members')
  const sent = {
    ...json,
    system,
    ...(messages === given ? {} : { messages }),
    ...(tools === givenTools ? {} : { tools }),
  }
  const marked = isOwn ? limitCacheMarks(sent) : sent
  return {
    ...(isStopped ? { thinking: null } : {}),
    ...(clears ? { context_management: null } : {}),
    ...(isStopped || (isOwn && isDisabled(json)) ? withoutClearing(json) : {}),
    ...changedTexts(json, marked),
  }
}

/** Models before version 4.8. */
const OLDER = /claude-(?:v?\d|instant|[a-z]+-4(?![-.](?:[89]|1\d)(?!\d)))/i

/**
 * Claude Code and others send instructions among the messages. Newer Claudes accept them between
 * the user and the assistant (maximhq/bifrost#3945, LeenHawk/gproxy#209), other models nowhere
 * (CherryHQ/cherry-studio#12316, zai-org/GLM-5#74). The results of calls move into the message
 * after the calls, and only the user has results.
 */
function withoutSystemTurns(messages: readonly unknown[], model: string): readonly unknown[] {
  const isTaken = isClaude(model) && !OLDER.test(model)
  let before: unknown
  return ifChanged(
    messages,
    messages.map((message, at) => {
      const isBetween = isInput(before) && (roleOf(messages[at + 1]) ?? 'assistant') === 'assistant'
      const isRefused = roleOf(message) === 'system' && !(isTaken && isBetween)
      before = isRefused && isRecord(message) ? { ...message, role: 'user' } : message
      return before
    }),
  )
}

/** Other makers refuse what Claude alone knows (anomalyco/opencode#24975, decolua/9router#1468). */
const withoutOwnMembers = (tools: readonly unknown[]) =>
  mapRecords(tools, (tool) =>
    'eager_input_streaming' in tool ? omit(tool, 'eager_input_streaming') : tool,
  )

const roleOf = (message: unknown) => member(message, 'role')

/** The user's, or a call whose result the provider adds. */
const isInput = (message: unknown): boolean =>
  roleOf(message) === 'user' || member(blocksOf(message).at(-1), 'type') === 'server_tool_use'

/** Members as JSON text; an empty one is left out. */
function changedTexts(given: JsonRecord, sent: JsonRecord): Record<string, string | null> {
  const names = ['tools', 'system', 'messages'].filter((name) => sent[name] !== given[name])
  return Object.fromEntries(
    names.map((name) => [name, isEmpty(sent[name]) ? null : JSON.stringify(sent[name])]),
  )
}

const isThinking = ({ thinking }: JsonRecord) =>
  /^(?:enabled|adaptive)$/.test(textOf(member(thinking, 'type')))

const isFormatted = ({ output_config: config, output_format: former }: JsonRecord) =>
  isRecord(former) || isRecord(member(config, 'format'))

const isDisabled = ({ thinking }: JsonRecord) => member(thinking, 'type') === 'disabled'

/**
 * Anthropic refuses to clear reasoning while it is off (anthropics/claude-code#11971,
 * router-for-me/CLIProxyAPI#4784).
 */
function withoutClearing({ context_management: management }: JsonRecord) {
  const edits = listOf(member(management, 'edits'))
  const isClearing = (edit: unknown) => textOf(member(edit, 'type')).startsWith('clear_thinking')
  if (!isRecord(management) || !edits.some(isClearing)) return {}
  const others = edits.filter((edit) => !isClearing(edit))
  const rest = { ...management, edits: others }
  return { context_management: others.length === 0 ? null : JSON.stringify(rest) }
}

/** Claude refuses a blank text here too. */
function withoutBlanks(system: unknown): unknown {
  if (Array.isArray(system)) return ifChanged(system, withoutBlankTexts(system))
  return isBlank(system) ? undefined : system
}

const isEmpty = (system: unknown) =>
  isBlank(system ?? '') || (Array.isArray(system) && system.length === 0)

function withoutUnsignedThinking(messages: readonly unknown[]): readonly unknown[] {
  const isAnyUnsigned = (message: unknown) => listOf(member(message, 'content')).some(isUnsigned)
  if (!messages.some(isAnyUnsigned)) return messages
  return messages.flatMap((message) => {
    if (!isRecord(message) || !isAnyUnsigned(message)) return [message]
    const content = listOf(message['content']).filter((block) => !isUnsigned(block))
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

/** Claude refuses reasoning without a text too (Wei-Shaw/sub2api#996). */
function isUnsigned(block: unknown): boolean {
  const signature = member(block, 'signature')
  const isForeign = isForeignSignature(textOf(signature)) || isOwnSignature(signature)
  const isThinking = member(block, 'type') === 'thinking'
  return isThinking && (isForeign || typeof member(block, 'thinking') !== 'string')
}

/**
 * Models that reason by a budget demand the reasoning before the calls of the last turn, and cannot
 * continue without it.
 */
function endsThinking({ thinking }: JsonRecord, messages: readonly unknown[]): boolean {
  if (member(thinking, 'type') !== 'enabled') return false
  const last = messages.findLast((message) => member(message, 'role') === 'assistant')
  const types = blocksOf(last).map((block) => member(block, 'type'))
  return types.includes('tool_use') && !/thinking/.test(textOf(types[0]))
}

function withUniqueIds(messages: readonly unknown[]): readonly unknown[] {
  const ids = new CallIds(ANTHROPIC_IDS, { isUnique: true })
  return mapRecords(messages, (message) => {
    const blocks = listOf(message['content'])
    const content = mapItems(blocks, (block) => withFittedId(block, ids))
    return content === blocks ? message : { ...message, content }
  })
}

function withFittedId(block: unknown, ids: CallIds): unknown {
  switch (member(block, 'type')) {
    case 'tool_use':
      return withId(block, 'id', (id) => ids.ofCall(id))
    case 'tool_result':
      return withId(block, 'tool_use_id', (id) => ids.ofResult(id))
    default:
      return block
  }
}
