import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { optionsPage } from './options-page.ts'

test('docs/reference/options.md is what `npm run docs:options` writes', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/options.md'), 'utf8')
  expect(page).toBe(optionsPage(page))
})
