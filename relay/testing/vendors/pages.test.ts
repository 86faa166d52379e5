import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { vendorPages } from './pages.ts'
import { VENDORS } from './vendors.ts'

const FOLDER = path.join(import.meta.dirname, '../../../docs/reference')

test('docs/reference/vendor-rules is what `npm run docs:vendors` writes', () => {
  const pages = vendorPages()
  const written = readdirSync(path.join(FOLDER, 'vendor-rules')).map(
    (name) => `vendor-rules/${name}`,
  )
  expect(['vendor-rules.md', ...written].toSorted()).toEqual(
    pages.map((page) => page.path).toSorted(),
  )
  for (const page of pages) {
    expect(readFileSync(path.join(FOLDER, page.path), 'utf8'), page.path).toBe(page.text)
    expect(page.text.split('\n').length).toBeLessThan(250)
  }
})

test('a changed rule makes its page outdated', () => {
  const [first, ...others] = VENDORS
  if (first === undefined) throw new Error('no vendor')
  const [rule, ...rules] = first.rules
  if (rule === undefined) throw new Error('no rule')
  const changed = { ...first, rules: [{ ...rule, text: 'Another text' }, ...rules] }
  expect(vendorPages([changed, ...others])).not.toEqual(vendorPages())
})
