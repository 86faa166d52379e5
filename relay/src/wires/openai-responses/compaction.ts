import { type JsonRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import type { ContentCipher, ListReader } from '../../form/content-cipher.ts'
import { decryptEntries, encryptEntries } from './encrypted-content.ts'

/*
 * Clients shorten a long conversation by the item `compaction_trigger`, and send the item
 * `compaction` of the answer in place of the history from then on
 * (https://platform.openai.com/docs/guides/conversation-state). Providers without it write a
 * summary as text, and the item has it encrypted.
 */

const SUMMARY = 'summary'

export const SUMMARY_REQUEST = `\
Summarize the conversation so far for another assistant that continues the work and sees \
nothing else of it. Include the user's requests and constraints, decisions and their reasons, \
what was done with names of files and commands, results that are still needed, and the next \
steps. Answer with the summary only and call no tools.`

const INTRODUCTION = 'Summary of the conversation so far:'

export const isCompactionTrigger = (item: unknown) => member(item, 'type') === 'compaction_trigger'

const ITEM_TYPES: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary'])

export const isCompactionItem = (item: unknown) => ITEM_TYPES.has(member(item, 'type'))

/**
 * What the model reads in place of an item that cannot be decrypted. A refusal would end the
 * session, since clients send the item with each request; silence would hide what is missing.
 */
export const LOST_SUMMARY = '[A summary of the earlier conversation that cannot be read here]'

/** What the model reads in place of the item; null if it cannot be decrypted. */
export function readCompaction(item: JsonRecord, reader: ListReader): string | null {
  const summary = (decryptEntries(item['encrypted_content'], reader) ?? [])
    .filter(({ type }) => type === SUMMARY)
    .map(({ text }) => textOf(text))
    .join('')
  return summary === '' ? null : `${INTRODUCTION}\n${summary}`
}

/** The item with the summary that the model wrote; null if it wrote none. */
export function compactionItem(
  id: string,
  output: readonly JsonRecord[],
  cipher: ContentCipher,
): JsonRecord | null {
  const text = output
    .flatMap(({ content }) => listOf(content))
    .map((part) => textOf(member(part, 'text')))
    .join('')
  if (text.trim() === '') return null
  return {
    id: `cmp_${id}`,
    type: 'compaction',
    encrypted_content: encryptEntries([{ type: SUMMARY, text }], cipher),
  }
}

export const NO_SUMMARY = {
  code: 'server_error',
  message: 'The model wrote no summary of the conversation.',
} as const
