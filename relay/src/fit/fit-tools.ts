import type { JsonRecord } from '../bytes/json-value.ts'
import type { WireRules } from '../cards/alphabets.ts'
import { callsOf, type ChatForm, type Message, type Tool } from '../form/request.ts'
import type { Adaptations } from './adaptations.ts'
import { CallIds, withCallIds } from './ids.ts'
import { kimiSchema } from './kimi-schema.ts'
import { NO_RENAMES, type Renames, toolRenames, uniqueTools, withToolNames } from './names.ts'
import { pairCalls } from './pairs.ts'
import { type FittedSchema, objectSchema } from './schema.ts'

/** Names, ids and schemas that the provider accepts, and a result behind each call. */
export function fitTools(
  form: ChatForm,
  { names, ids, schemas, hasUniqueIds }: WireRules,
  notes: Adaptations,
): { readonly form: ChatForm; readonly renames: Renames } {
  if (form.tools.length === 0 && !form.messages.some(isOfTools))
    return { form, renames: NO_RENAMES }
  const renames = toolRenames(form, names)
  const paired = pairCalls(form.messages)
  const unique = uniqueTools(form.tools, ({ name }) => name)
  const named = withToolNames({ ...form, messages: paired, tools: unique }, renames)
  const messages =
    ids === null
      ? named.messages
      : withCallIds(named.messages, new CallIds(ids, { isUnique: hasUniqueIds }))
  const tools =
    schemas === 'any' ? named.tools : fitSchemas(named.tools, SCHEMA_RULES[schemas], notes)
  if (unique !== form.tools) notes.note('tools')
  if (paired !== form.messages) notes.note('tool_results')
  if (renames.size > 0) notes.note('tool_names')
  if (messages !== named.messages) notes.note('tool_ids')
  return { form: { ...form, messages, tools, settings: named.settings }, renames }
}

const isOfTools = (message: Message) => message.role === 'tool' || callsOf(message).length > 0

const SCHEMA_RULES = { objects: objectSchema, kimi: kimiSchema } as const

function fitSchemas(
  tools: readonly Tool[],
  fit: (schema: JsonRecord) => FittedSchema,
  notes: Adaptations,
): readonly Tool[] {
  return tools.map((tool) => {
    if (tool.parameters === undefined) return tool
    const { schema: parameters, note } = fit(tool.parameters)
    if (note === '') return parameters === tool.parameters ? tool : { ...tool, parameters }
    notes.note('tool_schemas')
    const description = [tool.description ?? '', note].join('\n\n').trim()
    return { ...tool, description, parameters }
  })
}
