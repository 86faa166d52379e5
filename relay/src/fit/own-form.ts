import { isRecord, type JsonRecord, listOf, mapRecords, pick } from '../bytes/json-value.ts'
import type { ModelCard, ToolRules } from '../cards/model-card.ts'
import { isEffort, nearestEffort } from '../cards/nearest-effort.ts'
import { definitionChange } from './content.ts'
import { offSettings } from './reasoning.ts'
import { FOREIGN_REASONING, requestedReasoning } from './requested-reasoning.ts'
import { hintChanges, namedFormat } from './settings.ts'
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
export const ownFormChanges = (
  outline: JsonRecord,
  card: ModelCard,
  readAll: () => JsonRecord,
): JsonRecord => ({
  ...settingsChanges(outline, card, readAll),
  ...toolsChange(outline, card.tools, readAll),
})

const NONE: JsonRecord = {}

function settingsChanges(
  outline: JsonRecord,
  card: ModelCard,
  readAll: () => JsonRecord,
): JsonRecord {
  const given = outline['user'] === '' ? readAll() : outline
  return {
    ...(takesNulls(card) ? NONE : nullMembers(outline)),
    ...(takesAnyHint(card) ? NONE : hintChanges(given, card)),
    ...effortChange(outline, card),
    ...limitChange(outline, card),
    ...(card.vendor === 'openai' ? formatChange(outline, readAll) : NONE),
  }
}

function formatChange(
  { response_format: given }: JsonRecord,
  readAll: () => JsonRecord,
): JsonRecord {
  if (!isRecord(given) || namedFormat(given) === given) return NONE
  return { response_format: namedFormat(readAll()['response_format']) }
}

const takesNulls = ({ vendor, content }: ModelCard) =>
  vendor !== 'openai' && content.takesUnknownMembers

/** Some clients write absent members as null. */
const nullMembers = (outline: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.keys(outline).flatMap((name) => (outline[name] === null ? [[name, undefined]] : [])),
  )

const takesAnyHint = ({ sampling, content }: ModelCard) =>
  sampling.takes === 'all' &&
  sampling.temperature === null &&
  sampling.topP === null &&
  sampling.takesPenalties &&
  content.userId === null

/** Vendors that ignore unknown members may know `thinking` and `enable_thinking` themselves. */
function foreignReasoning({ vendor, content }: ModelCard): JsonRecord {
  if (vendor === 'openrouter') return NONE
  const isStrict = vendor === 'openai' || !content.takesUnknownMembers
  return isStrict ? FOREIGN_REASONING : { reasoning: undefined }
}

function effortChange(outline: JsonRecord, card: ModelCard): JsonRecord {
  const foreign = foreignReasoning(card)
  const { effort } = requestedReasoning(pick(outline, 'reasoning_effort', ...Object.keys(foreign)))
  if (effort === 'none') return { ...foreign, ...offSettings(card) }
  if (!isEffort(effort)) return foreign
  return { ...foreign, reasoning_effort: nearestEffort(effort, card) ?? undefined }
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

/** Reads the whole body only if a tool of the outline has to change. */
function toolsChange(
  { tools: given }: JsonRecord,
  rules: ToolRules,
  readAll: () => JsonRecord,
): JsonRecord {
  const change = acceptedTool(rules)
  const outlined = listOf(given)
  if (mapRecords(outlined, change) === outlined) return NONE
  const tools = listOf(readAll()['tools'])
  const accepted = mapRecords(tools, change)
  return accepted === tools ? NONE : { tools: accepted }
}

/** The same tool if the vendor accepts it. */
function acceptedTool(rules: ToolRules): (tool: JsonRecord) => JsonRecord {
  return (tool) => {
    const definition = tool['function']
    if (!isRecord(definition)) return tool
    const accepted = withChanges(definition, {
      ...nullMembers(definition),
      ...definitionChange(definition, rules),
    })
    return accepted === definition ? tool : { ...tool, function: accepted }
  }
}
