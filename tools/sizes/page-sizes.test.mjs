import { expect, test } from 'vitest'
import { findTooLarge, measurePages } from './page-sizes.mjs'

const LOGIN = 'src/features/login/login-page.tsx'
const LOGS = 'src/features/logs/logs-page.tsx'

const manifest = {
  'index.html': { file: 'index.js', imports: ['_shell.js'], dynamicImports: [LOGIN, LOGS] },
  '_shell.js': { file: 'shell.js', imports: ['index.html'] },
  '_table.js': { file: 'table.js', imports: ['_shell.js'] },
  [LOGIN]: { file: 'login.js', imports: ['_shell.js'], dynamicImports: ['src/ui/dialog.tsx'] },
  [LOGS]: { file: 'logs.js', imports: ['_table.js'], dynamicImports: ['src/ui/dialog.tsx'] },
  'src/features/logs/messages.ts': { file: 'texts.js' },
  'src/ui/dialog.tsx': { file: 'dialog.js', imports: ['_shell.js'] },
}

const SIZES = {
  'index.js': 1000,
  'shell.js': 120_000,
  'login.js': 2000,
  'table.js': 60_000,
  'logs.js': 20_000,
  'texts.js': 5000,
  'dialog.js': 10_000,
}

const measure = (sizes) => measurePages(manifest, (file) => ({ ...SIZES, ...sizes })[file])

test('the login page counts completely, others with what they add and their texts', () => {
  const rows = measure({})
  expect(rows.map(({ page, bytes }) => [page, bytes])).toEqual([
    [LOGIN, 123_000],
    [LOGS, 85_000],
  ])
  expect(findTooLarge(rows)).toEqual([])
})

test('a page that grew too large is named', () => {
  expect(findTooLarge(measure({ 'table.js': 76_000 }))).toEqual([
    `${LOGS}: 101000 bytes of JavaScript, at most 95000`,
  ])
  expect(findTooLarge(measure({ 'shell.js': 148_000 }))).toEqual([
    `${LOGIN}: 151000 bytes of JavaScript, at most 134000`,
  ])
  expect(findTooLarge([])).toEqual(['the manifest names no login page'])
})
