import { isRecord, type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import { NestedJson } from '../../form/nested-json.ts'
import { readCompaction } from './compaction.ts'
import { isOwnSeal } from './encrypted-content.ts'
import { toolsOf } from './read-tools.ts'

/*
 * The input of a request for a provider of the same API. Its history may come from other providers:
 * their reasoning and this relay's summaries are sealed here, and the provider cannot read them.
 */

/** The same value if nothing changes. `dropsReasoning` leaves out the provider's own as well. */
export function nativeInput(input: unknown, dropsReasoning: boolean): unknown {
  const isChanged = (item: unknown): item is JsonRecord =>
    isUnreadable(item) || (dropsReasoning && member(item, 'type') === 'reasoning')
  if (!Array.isArray(input) || !input.some(isChanged)) return input
  const nested = new NestedJson()
  return input.flatMap((item: unknown) => (isChanged(item) ? readable(item, nested) : [item]))
}

/** Reasoning without encrypted content refers to a store that has nothing. */
const isUnreadable = (item: unknown): boolean =>
  isOwnSeal(member(item, 'encrypted_content')) ||
  (member(item, 'type') === 'reasoning' && textOf(member(item, 'encrypted_content')) === '')

/** A summary becomes a message; reasoning is left out. */
function readable(item: JsonRecord, nested: NestedJson): unknown[] {
  const summary = item['type'] === 'reasoning' ? '' : readCompaction(item, nested)
  return summary === '' ? [] : [{ role: 'user', content: summary }]
}

/** Without the tools that items add and `isRemoved` names. The same value if nothing changes. */
export function withoutTools(input: unknown, isRemoved: (tool: unknown) => boolean): unknown {
  const isFound = (item: unknown) => toolsOf(item).some(isRemoved)
  if (!Array.isArray(input) || !input.some(isFound)) return input
  return input.map((item: unknown) =>
    isRecord(item) && isFound(item)
      ? { ...item, tools: toolsOf(item).filter((tool) => !isRemoved(tool)) }
      : item,
  )
}
