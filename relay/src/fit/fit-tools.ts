import type { Adaptations } from '../adaptations.ts'
import { toolFormOf } from '../cards/alphabets.ts'
import type { Alphabet } from '../cards/model-card.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../json-value.ts'
import type { ProviderDescriptor } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import { CallIds, withCallIds } from './ids.ts'
import { kimiSchema } from './kimi-schema.ts'
import { NameRestorer, toolRenames, withToolNames } from './names.ts'
import { pairCalls } from './pairs.ts'
import { type FittedSchema, objectSchema } from './schema.ts'

type Target = {
  readonly descriptor: ProviderDescriptor
  readonly model: string
  readonly adaptations?: Adaptations | undefined
}

/** A client of the provider's own dialect chooses names and ids itself. */
export const fitsTools = (
  { endpoint, hasExtensions = false }: Pick<RelayRequest, 'endpoint' | 'hasExtensions'>,
  { dialect }: ProviderDescriptor,
): boolean => endpoint === 'chat' && (hasExtensions || DIALECTS_WITH_RULES.has(dialect))

const DIALECTS_WITH_RULES: ReadonlySet<ProviderDescriptor['dialect']> = new Set([
  'anthropic',
  'gemini',
  'responses',
])

/**
 * Names, ids and schemas that the provider accepts, and a result behind each call; the same object
 * if nothing changes.
 */
export function fitTools(json: JsonRecord, { descriptor, model, adaptations }: Target): JsonRecord {
  const { dialect } = descriptor
  const { names, ids, schemas } = toolFormOf({ dialect, model })
  const paired = withPairs(json)
  const named = withToolNames(paired, toolRenames(json, names))
  const noteSchema = () => adaptations?.note('tool_schemas')
  const fitted = schemas === 'any' ? named : withSchemas(named, SCHEMA_RULES[schemas], noteSchema)
  const mustBeUnique = dialect === 'anthropic' || dialect === 'responses'
  const identified = ids === null ? fitted : withFittedIds(fitted, ids, mustBeUnique)
  if (paired !== json) adaptations?.note('tool_results')
  if (named !== paired) adaptations?.note('tool_names')
  if (identified !== fitted) adaptations?.note('tool_ids')
  return identified
}

const SCHEMA_RULES = { objects: objectSchema, kimi: kimiSchema } as const

function withPairs(json: JsonRecord): JsonRecord {
  const { messages } = json
  if (!Array.isArray(messages) || !messages.every(isRecord)) return json
  const paired = pairCalls(messages)
  return paired === messages ? json : { ...json, messages: paired }
}

function withSchemas(
  json: JsonRecord,
  fit: (schema: JsonRecord) => FittedSchema,
  noteSchema: () => void,
): JsonRecord {
  const { tools } = json
  if (!Array.isArray(tools)) return json
  const fitted = (tool: unknown) => {
    const definition = member(tool, 'function')
    const parameters = member(definition, 'parameters')
    if (!isRecord(tool) || !isRecord(definition) || !isRecord(parameters)) return tool
    const { schema, note } = fit(parameters)
    if (schema === parameters && note === '') return tool
    if (note !== '') noteSchema()
    const described = { ...definition, ...withNote(definition['description'], note) }
    return { ...tool, function: { ...described, parameters: schema } }
  }
  return { ...json, tools: tools.map(fitted) }
}

const withNote = (description: unknown, note: string): JsonRecord =>
  note === '' ? {} : { description: [textOf(description), note].join('\n\n').trim() }

function withFittedIds(json: JsonRecord, alphabet: Alphabet, isUnique: boolean): JsonRecord {
  const given = listOf(json['messages'])
  const messages = withCallIds(given, new CallIds(alphabet, { isUnique }))
  return messages === given ? json : { ...json, messages }
}

/** Restores the client's names in the answer; null if no name was changed. */
export function nameRestorer(request: RelayRequest, target: Target): NameRestorer | null {
  const { descriptor, model } = target
  if (!fitsTools(request, descriptor)) return null
  const { names } = toolFormOf({ dialect: descriptor.dialect, model })
  const renames = toolRenames(request.json(), names)
  return renames.size === 0 ? null : new NameRestorer(renames)
}
