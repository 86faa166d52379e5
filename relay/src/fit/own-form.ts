import { isRecord, type JsonRecord, listOf, mapRecords, member } from '../bytes/json-value.ts'
import type { ModelCard } from '../cards/model-card.ts'
import { isEffort, nearestEffort } from '../cards/nearest-effort.ts'
import { parametersChange } from './content.ts'
import { turnsReasoningOff } from './reasoning-back.ts'
import { hintChanges } from './settings.ts'
import { PARAGRAPH } from './text-in.ts'
import { withChanges } from './with-changes.ts'

/*
 * Clients of OpenAI's chat completions also reach vendors whose copies of that API are stricter.
 * What the vendor is known to refuse is changed where the answer stays the same; everything else
 * keeps the client's bytes.
 */

/**
 * Top-level members to replace; undefined removes one. `outline` is the body with its long texts
 * left empty, `readAll` reads the whole body.
 */
export function ownFormChanges(
  outline: JsonRecord,
  card: ModelCard,
  readAll: () => JsonRecord,
): JsonRecord {
  const settings = card.isKnown ? settingsChanges(outline, card, readAll) : NONE
  if (takesAnyItem(card)) return settings
  const message = acceptedMessage(card, turnsReasoningOff(outline))
  return {
    ...settings,
    ...listChange('messages', message, outline, readAll),
    ...listChange('tools', acceptedTool(card), outline, readAll),
  }
}

const NONE: JsonRecord = {}

const takesAnyItem = ({ content, reasoningBack, tools }: ModelCard) =>
  content.takesDeveloper &&
  content.takesResultLists &&
  content.takesNullContent &&
  reasoningBack.policy !== 'required_with_calls' &&
  tools.takesNoParameters &&
  tools.takesSchemaIds

function settingsChanges(
  outline: JsonRecord,
  card: ModelCard,
  readAll: () => JsonRecord,
): JsonRecord {
  const given = outline['user'] === '' ? readAll() : outline
  return {
    ...(takesAnyHint(card) ? NONE : hintChanges(given, card)),
    ...effortChange(outline, card),
    ...limitChange(outline, card),
  }
}

const takesAnyHint = ({ sampling, content }: ModelCard) =>
  sampling.takes === 'all' &&
  sampling.temperature === null &&
  sampling.topP === null &&
  sampling.takesPenalties &&
  content.userId === null

/** Each vendor switches reasoning off in a way of its own, so the effort `none` stays. */
function effortChange({ reasoning_effort: effort }: JsonRecord, card: ModelCard): JsonRecord {
  const { efforts } = card.reasoning
  if (!isEffort(effort) || effort === 'none' || efforts === null) return NONE
  return { reasoning_effort: nearestEffort(effort, card) ?? undefined }
}

/** Two limits are left for the vendor to refuse. */
function limitChange(
  { max_tokens: older = null, max_completion_tokens: newer = null }: JsonRecord,
  { limits: { outputMember, outputSetting } }: ModelCard,
): JsonRecord {
  const limit = older ?? newer
  if (typeof limit !== 'number' || (older !== null && newer !== null)) return NONE
  const name = older === null ? 'max_completion_tokens' : outputMember
  const accepted = Math.min(limit, outputSetting ?? Infinity)
  return { ...(older === null ? {} : { max_tokens: undefined }), [name]: accepted }
}

type Change = (item: JsonRecord) => JsonRecord

/** Reads the whole body only if an item of the outline has to change, or a text left out may. */
function listChange(
  name: 'messages' | 'tools',
  change: Change,
  outline: JsonRecord,
  readAll: () => JsonRecord,
): JsonRecord {
  const outlined = listOf(outline[name])
  if (mapRecords(outlined, change) === outlined) return NONE
  const items = listOf(readAll()[name])
  const accepted = mapRecords(items, change)
  return accepted === items ? NONE : { [name]: accepted }
}

/** The same message if the vendor accepts it. */
function acceptedMessage(
  { content: rules, reasoningBack: back }: ModelCard,
  isOff: boolean,
): Change {
  const lost = back.policy === 'required_with_calls' && !isOff ? back.placeholder : null
  return (message) => {
    const { role, content = null } = message
    if (role === 'developer' && !rules.takesDeveloper) return { ...message, role: 'system' }
    if (role === 'tool') return rules.takesResultLists ? message : withJoinedTexts(message)
    if (role !== 'assistant' || listOf(message['tool_calls']).length === 0) return message
    const needsText = !rules.takesNullContent && content === null
    const needsReasoning = lost !== null && (message[back.member] ?? '') === ''
    if (!needsText && !needsReasoning) return message
    return {
      ...message,
      ...(needsText ? { content: '' } : {}),
      ...(needsReasoning ? { [back.member]: lost } : {}),
    }
  }
}

/** Several texts as one; other contents stay. */
export function withJoinedTexts(message: JsonRecord): JsonRecord {
  const { content } = message
  if (!Array.isArray(content)) return message
  const texts = content.map((part: unknown) => member(part, 'text'))
  const isText = texts.every((text) => typeof text === 'string')
  return isText ? { ...message, content: texts.join(PARAGRAPH) } : message
}

/** The same tool if the vendor accepts it. */
function acceptedTool({ tools: rules }: ModelCard): Change {
  return (tool) => {
    const definition = tool['function']
    if (!isRecord(definition)) return tool
    const accepted = withChanges(definition, parametersChange(definition, rules))
    return accepted === definition ? tool : { ...tool, function: accepted }
  }
}
