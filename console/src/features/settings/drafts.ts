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

export type Drafts = Readonly<Record<string, string>>

const INDENT = 2

export const isSwitch = (key: OptionKey) => typeof OPTIONS[key].default === 'boolean'

const isSecret = (key: OptionKey) => OPTIONS[key].secret === true

function isTable(key: OptionKey): boolean {
  const value: unknown = OPTIONS[key].default
  return typeof value === 'object' && value !== null
}

/** Editable text of an option: tables with one line per row, empty for null. */
export function draftOf(key: OptionKey, text: string): string {
  if (text === 'null') return ''
  return isTable(key) ? indented(text) : text
}

/** JSON with one line per row; invalid JSON is returned unchanged. */
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

export function findProblem(key: OptionKey, draft: string, language: Language) {
  if (isTable(key)) {
    const problem = findJsonProblem(draft)
    if (problem !== null) return { kind: 'json', problem } satisfies DraftProblem
  }
  const parsed = parseOption(key, draft, language)
  if (parsed.success) return null
  return { kind: 'value', ...firstProblem(parsed.error, language) } satisfies DraftProblem
}

/**
 * Text to send, normalized by the option's schema (for example trimmed, without a trailing slash).
 */
function wireText(key: OptionKey, draft: string): string {
  // A single space clears a secret; trimmed, the text would leave the secret unchanged.
  if (isSecret(key)) return draft
  const parsed = parseOption(key, draft)
  return parsed.success ? optionText(parsed.data) : draft
}

export type Change = { key: OptionKey; value: string }

/**
 * Changes to send: only options that differ from the stored text. Secrets come first, because the
 * server they are sent to may change only together with them.
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

/** Changed options among those that decide where the secret is sent. */
export function changedDestinations(secret: OptionKey, drafts: Drafts, stored: Drafts) {
  return (OPTIONS[secret].sentTo ?? [])
    .filter(isOptionKey)
    .filter((key) => key in drafts && wireText(key, drafts[key] ?? '') !== stored[key])
}

/**
 * Options a switch still needs, from the requirement list with the fewest missing. Secrets count as
 * set, because the server never returns them.
 */
export function missingNeeds(key: OptionKey, stored: Drafts): OptionKey[] {
  const lists = (OPTIONS[key].needs ?? []).map((list) =>
    list.filter(isOptionKey).filter((name) => !isSecret(name) && stored[name] === ''),
  )
  if (lists.length === 0) return []
  return lists.reduce((shortest, list) => (list.length < shortest.length ? list : shortest))
}
