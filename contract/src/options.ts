import { OPERATION_OPTIONS } from './operation-options.ts'
import type { OptionRow } from './option-row.ts'
import {
  OPTION_SECTIONS,
  type OptionSectionId,
  type OptionTab,
  type SectionRow,
} from './option-sections.ts'
import { OTHER_OPTIONS } from './other-options.ts'
import { SYSTEM_OPTIONS } from './system-options.ts'

/**
 * Every option, within its section in page order. Storage, validation, the running snapshot, the
 * settings pages and docs/reference/options.md derive from this table.
 */
export const OPTIONS = { ...SYSTEM_OPTIONS, ...OTHER_OPTIONS, ...OPERATION_OPTIONS }

export type OptionKey = keyof typeof OPTIONS

export type OptionValues = {
  readonly [Key in OptionKey]: (typeof OPTIONS)[Key] extends OptionRow<infer Value> ? Value : never
}

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(OPTIONS, key)

export const optionKeys = Object.keys(OPTIONS).filter(isOptionKey)

/** The sections of a tab with their options, in page order. */
export function sectionsOf(tab: OptionTab) {
  // Safe because these are the keys of that very object.
  const ids = Object.keys(OPTION_SECTIONS) as OptionSectionId[]
  return ids.flatMap((id) => {
    const row: SectionRow = OPTION_SECTIONS[id]
    const options = optionKeys.filter((key) => OPTIONS[key].section === id)
    return row.tab === tab ? [{ ...row, id, options }] : []
  })
}
