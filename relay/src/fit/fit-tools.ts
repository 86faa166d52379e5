import { type Alphabet, callIdsOf, isKimi, toolNamesOf } from '../cards/alphabets.ts'
import { isRecord, type JsonRecord, listOf, member } from '../json-value.ts'
import type { ProviderDescriptor } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import { CallIds, withCallIds } from './ids.ts'
import { kimiSchema } from './kimi-schema.ts'
import { NameRestorer, toolRenames, withToolNames } from './names.ts'

type Target = { readonly descriptor: ProviderDescriptor; readonly model: string }

/** A client of the provider's own dialect chooses names and ids itself. */
export const fitsTools = (
  { endpoint, hasExtensions = false }: Pick<RelayRequest, 'endpoint' | 'hasExtensions'>,
  { dialect }: ProviderDescriptor,
): boolean =>
  endpoint === 'chat' && (hasExtensions || dialect === 'anthropic' || dialect === 'gemini')

/** Names, ids and schemas that the provider accepts; the same object if nothing changes. */
export function fitTools(json: JsonRecord, { descriptor, model }: Target): JsonRecord {
  const { dialect } = descriptor
  const names = toolNamesOf({ dialect, model })
  const ids = callIdsOf({ dialect, model })
  const named = withSchemas(withToolNames(json, toolRenames(json, names)), model)
  return ids === null ? named : withFittedIds(named, ids, dialect === 'anthropic')
}

function withSchemas(json: JsonRecord, model: string): JsonRecord {
  const { tools } = json
  if (!Array.isArray(tools) || !isKimi(model)) return json
  const fitted = (tool: unknown) => {
    const definition = member(tool, 'function')
    const parameters = member(definition, 'parameters')
    if (!isRecord(tool) || !isRecord(definition) || !isRecord(parameters)) return tool
    return { ...tool, function: { ...definition, parameters: kimiSchema(parameters) } }
  }
  return { ...json, tools: tools.map(fitted) }
}

function withFittedIds(json: JsonRecord, alphabet: Alphabet, isUnique: boolean): JsonRecord {
  const given = listOf(json['messages'])
  const messages = withCallIds(given, new CallIds(alphabet, { isUnique }))
  return messages === given ? json : { ...json, messages }
}

/** Restores the client's names in the answer; null if no name was changed. */
export function nameRestorer(request: RelayRequest, target: Target): NameRestorer | null {
  const { descriptor, model } = target
  if (!fitsTools(request, descriptor)) return null
  const { dialect } = descriptor
  const renames = toolRenames(request.json(), toolNamesOf({ dialect, model }))
  return renames.size === 0 ? null : new NameRestorer(renames)
}
