import {
  firstProblem,
  isOptionKey,
  type Language,
  type OptionKey,
  OPTIONS,
  optionText,
  parseOption,
} from '@tollgate/contract'
import { findJsonProblem, type JsonProblem } from './json-problem.ts'

/** What stands in a form: of every option the text that is being edited. */
export type Drafts = Readonly<Record<string, string>>

const INDENT = 2

export const isSwitch = (key: OptionKey) => typeof OPTIONS[key].default === 'boolean'

export const isSecret = (key: OptionKey) => OPTIONS[key].secret === true

/** Options that are tables are edited as rows or as JSON. */
function isTable(key: OptionKey): boolean {
  const value: unknown = OPTIONS[key].default
  return typeof value === 'object' && value !== null
}

/** The text of an option as it is edited: tables with one line per row, and nothing for null. */
export function draftOf(key: OptionKey, text: string): string {
  if (text === 'null') return ''
  return isTable(key) ? indented(text) : text
}

/** JSON with one line per row; a text that is no JSON stays. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, INDENT)
  } catch {
    return text
  }
}

export type DraftProblem =
  | { kind: 'json'; problem: JsonProblem }
  | { kind: 'value'; field: string; problem: string }

/** What is wrong with a draft; null when it can be saved. */
export function findProblem(key: OptionKey, draft: string, language: Language) {
  if (isTable(key)) {
    const problem = findJsonProblem(draft)
    if (problem !== null) return { kind: 'json', problem } satisfies DraftProblem
  }
  const parsed = parseOption(key, draft, language)
  if (parsed.success) return null
  return { kind: 'value', ...firstProblem(parsed.error, language) } satisfies DraftProblem
}

/** The text to be sent: trimmed, without a trailing slash, whatever the schema of the option makes of it. */
function wireText(key: OptionKey, draft: string): string {
  // A space clears a secret; trimmed it would leave it as it is.
  if (isSecret(key)) return draft
  const parsed = parseOption(key, draft)
  return parsed.success ? optionText(parsed.data) : draft
}

export type Change = { key: OptionKey; value: string }

/**
 * What has to be sent: only what differs from what is stored. Secrets go first, since a server that
 * they are sent to may change only with them.
 */
export function changesOf(drafts: Drafts, stored: Drafts): Change[] {
  const changes = Object.keys(drafts)
    .filter(isOptionKey)
    .filter((key) => drafts[key] !== (stored[key] ?? ''))
    .flatMap((key) => {
      const value = wireText(key, drafts[key] ?? '')
      return value === wireText(key, stored[key] ?? '') ? [] : [{ key, value }]
    })
  return changes.toSorted((a, b) => Number(isSecret(b.key)) - Number(isSecret(a.key)))
}

/** Of a secret: those options that say where it is sent to and are being changed. */
export function changedDestinations(secret: OptionKey, drafts: Drafts, stored: Drafts) {
  return (OPTIONS[secret].sentTo ?? [])
    .filter(isOptionKey)
    .filter((key) => key in drafts && wireText(key, drafts[key] ?? '') !== stored[key])
}

/** What a switch lacks before it can go on, as far as a page can know: secrets are never told. */
export function missingNeeds(key: OptionKey, stored: Drafts): OptionKey[] {
  const lists = (OPTIONS[key].needs ?? []).map((list) =>
    list.filter(isOptionKey).filter((name) => !isSecret(name) && stored[name] === ''),
  )
  if (lists.length === 0) return []
  return lists.reduce((least, list) => (list.length < least.length ? list : least))
}
