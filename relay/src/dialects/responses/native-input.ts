import { isRecord, type JsonRecord, member, textOf } from '../../json-value.ts'
import { NestedJson } from '../../nested-json.ts'
import { readStoredReasoning } from '../../providers/openai-responses/reasoning.ts'
import { readCompaction } from './compaction.ts'
import { isOwnSeal, unseal } from './encrypted-content.ts'
import { toolsOf } from './tools.ts'

/*
 * The input of a request for a provider of the same API. Its history may come from other providers:
 * their reasoning and this relay's summaries are sealed here, and the provider cannot read them.
 */

type Target = { readonly model: string; readonly dropsReasoning: boolean }

/** The same value if nothing changes. */
export function nativeInput(input: unknown, { model, dropsReasoning }: Target): unknown {
  const isChanged = (item: unknown): item is JsonRecord =>
    isUnreadable(item) || (dropsReasoning && member(item, 'type') === 'reasoning')
  if (!Array.isArray(input) || !input.some(isChanged)) return input
  const nested = new NestedJson()
  return input.flatMap((item: unknown) => {
    if (!isChanged(item)) return [item]
    return dropsReasoning && item['type'] === 'reasoning' ? [] : readable(item, model, nested)
  })
}

/** Reasoning without encrypted content refers to a store that has nothing. */
const isUnreadable = (item: unknown): boolean =>
  isOwnSeal(member(item, 'encrypted_content')) ||
  (member(item, 'type') === 'reasoning' && textOf(member(item, 'encrypted_content')) === '')

/** After a stream failover, the seal may hold reasoning of the provider's own model. */
function readable(item: JsonRecord, model: string, nested: NestedJson): unknown[] {
  if (item['type'] === 'reasoning') {
    return unseal(item['encrypted_content'], nested)
      .filter(({ type }) => type === 'reasoning_details')
      .flatMap(({ entries }) => readStoredReasoning(entries, model))
      .map((stored) => stored.item)
  }
  const summary = readCompaction(item, nested)
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
