import { type JsonRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import type { NestedJson } from '../../form/nested-json.ts'
import { seal, unseal } from './encrypted-content.ts'

/*
 * Clients shorten a long conversation by the item `compaction_trigger`, and send the item
 * `compaction` of the answer in place of the history from then on
 * (https://platform.openai.com/docs/guides/conversation-state). Providers without it write a
 * summary as text, and the item seals it.
 */

const SUMMARY = 'summary'

export const SUMMARY_REQUEST = `\
Summarize the conversation so far for another assistant that continues the work and sees \
nothing else of it. Include the user's requests and constraints, decisions and their reasons, \
what was done with names of files and commands, results that are still needed, and the next \
steps. Answer with the summary only and call no tools.`

const INTRODUCTION = 'Summary of the conversation so far:'

export const isCompactionTrigger = (item: unknown) => member(item, 'type') === 'compaction_trigger'

export const isCompactionItem = (item: unknown) => member(item, 'type') === 'compaction'

/** What the model reads in place of the item; empty for an item of another system. */
export function readCompaction(item: JsonRecord, nested: NestedJson): string {
  const summary = unseal(item['encrypted_content'], nested)
    .filter(({ type }) => type === SUMMARY)
    .map(({ text }) => textOf(text))
    .join('')
  return summary === '' ? '' : `${INTRODUCTION}\n${summary}`
}

/** The item with the summary that the model wrote; null if it wrote none. */
export function compactionItem(id: string, output: readonly JsonRecord[]): JsonRecord | null {
  const text = output
    .flatMap(({ content }) => listOf(content))
    .map((part) => textOf(member(part, 'text')))
    .join('')
  if (text.trim() === '') return null
  return {
    id: `cmp_${id}`,
    type: 'compaction',
    encrypted_content: seal([{ type: SUMMARY, text }]),
  }
}

export const NO_SUMMARY = {
  code: 'server_error',
  message: 'The model wrote no summary of the conversation.',
} as const
