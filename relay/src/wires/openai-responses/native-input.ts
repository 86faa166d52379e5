import { isRecord, type JsonRecord, member, omit, textOf } from '../../bytes/json-value.ts'
import type { ContentCipher, ListReader } from '../../form/content-cipher.ts'
import { NestedJson } from '../../form/nested-json.ts'
import type { Loss } from '../../form/request.ts'
import type { NativeTarget } from '../../relay-request.ts'
import { isCompactionItem, LOST_SUMMARY, readCompaction } from './compaction.ts'
import { isOwnContent } from './encrypted-content.ts'
import { toolsOf } from './read-tools.ts'

/*
 * The input of a request for a provider of the same API. Its history may come from other providers:
 * their reasoning and the summaries of this gateway are encrypted for the gateway alone.
 */

const NONE: ReadonlySet<never> = new Set()

type NativeInput = { readonly input: unknown; readonly losses: ReadonlySet<Loss> }

/** The same input if nothing changes. */
export function nativeInput(
  input: unknown,
  {
    dropsReasoning = false,
    dropsCompaction = false,
  }: Pick<NativeTarget, 'dropsReasoning' | 'dropsCompaction'>,
  cipher: ContentCipher,
): NativeInput {
  if (!Array.isArray(input)) return { input, losses: NONE }
  const unled = unledReasoning(input)
  const isChanged = (item: unknown): item is JsonRecord =>
    isUnreadable(item, cipher) ||
    unled.has(item) ||
    (dropsReasoning && isReasoning(item)) ||
    (dropsCompaction && isCompactionItem(item))
  if (!dropsReasoning && !input.some(isChanged)) return { input, losses: NONE }
  const losses = new Set<Loss>()
  const reader = { cipher, nested: new NestedJson() }
  const items = input.flatMap((item: unknown) =>
    isChanged(item) ? readable(item, reader, losses) : [item],
  )
  // By its id an item is missed without the reasoning before it (continuedev/continue#11994).
  const lacksReasoning = dropsReasoning || losses.has('reasoning')
  return { input: lacksReasoning ? items.map(withoutId) : items, losses }
}

/**
 * Reasoning of an answer that was cut off: nothing that it led to follows
 * (continuedev/continue#8933).
 */
function unledReasoning(items: readonly unknown[]): ReadonlySet<unknown> {
  if (!items.some(isReasoning)) return NONE
  const found = new Set<unknown>()
  let leads = false
  for (const item of items.toReversed()) {
    if (!isReasoning(item)) leads = isOutput(item)
    else if (!leads) found.add(item)
  }
  return found
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'developer', 'system'])

/** Whether a model has said it, and not the client. */
const isOutput = (item: unknown): boolean =>
  !ROLES.has(member(item, 'role')) && !/_output$|_trigger$/.test(textOf(member(item, 'type')))

/** Messages, and calls of functions and of hosted tools. */
const WITH_ID = /^message$|_call$/

const withoutId = (item: unknown): unknown =>
  isRecord(item) && WITH_ID.test(textOf(item['type'])) && isOutput(item) ? omit(item, 'id') : item

export const isReasoning = (item: unknown) => member(item, 'type') === 'reasoning'

/**
 * Reasoning without encrypted content refers to a store that has nothing. Some clients send an
 * object in its place (Yeachan-Heo/gajae-code#1206).
 */
function isUnreadable(item: unknown, cipher: ContentCipher): boolean {
  const content = member(item, 'encrypted_content')
  const isText = textOf(content) !== ''
  return isOwnContent(content, cipher) || (!isText && (isReasoning(item) || isRecord(content)))
}

/** A summary becomes a message; reasoning is left out. */
function readable(item: JsonRecord, reader: ListReader, losses: Set<Loss>): unknown[] {
  if (!isCompactionItem(item)) {
    losses.add('reasoning')
    return []
  }
  const summary = readCompaction(item, reader)
  if (summary === null) losses.add('messages')
  return [{ role: 'user', content: summary ?? LOST_SUMMARY }]
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
