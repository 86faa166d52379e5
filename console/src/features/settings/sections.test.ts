import { expect, test } from 'vitest'
import { isOptionKey, OPTIONS } from '@tollgate/contract'
import { OPERATION_SECTIONS, OTHER_SECTIONS, type Section, SYSTEM_SECTIONS } from './sections.ts'

const TABS: Readonly<Record<string, readonly Section[]>> = {
  operation: Object.values(OPERATION_SECTIONS),
  system: Object.values(SYSTEM_SECTIONS),
  other: Object.values(OTHER_SECTIONS),
}

const keysOf = (tab: string) =>
  (TABS[tab] ?? []).flatMap((section) => [...section.options]).toSorted()

test.each(['operation', 'system', 'other'] as const)(
  'every option of the tab %s has one field there, and no other has',
  (tab) => {
    const expected = Object.keys(OPTIONS).filter(
      (key) => isOptionKey(key) && OPTIONS[key].tab === tab,
    )
    expect(keysOf(tab)).toEqual(expected.toSorted())
  },
)

test('each section has a name of its own', () => {
  const names = Object.values(TABS).flatMap((sections) => sections.map(({ id }) => id))
  expect(new Set(names).size).toBe(names.length)
})
