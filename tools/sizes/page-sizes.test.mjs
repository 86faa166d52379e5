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
  'shell.js': 115_000,
  'login.js': 2000,
  'table.js': 60_000,
  'logs.js': 20_000,
  'texts.js': 5000,
  'dialog.js': 10_000,
}

const measure = (sizes) => measurePages(manifest, (file) => ({ ...SIZES, ...sizes })[file])

test('a page counts with its texts, and without what it loads later', () => {
  const rows = measure({})
  expect(rows.map(({ page, bytes, files }) => [page, bytes, files])).toEqual([
    [LOGIN, 118_000, 3],
    [LOGS, 201_000, 5],
  ])
  expect(findTooLarge(rows)).toEqual([])
})

test('a page that grew too large, or into too many files, is named', () => {
  expect(findTooLarge(measure({ 'table.js': 126_000 }))).toEqual([
    `${LOGS}: 267000 bytes of JavaScript, at most 250000`,
  ])
  expect(findTooLarge(measure({ 'shell.js': 148_000 }))).toEqual([
    `${LOGIN}: 151000 bytes of JavaScript, at most 120000`,
  ])
  expect(findTooLarge([{ page: LOGIN, bytes: 1, most: 2, files: 16 }])).toEqual([
    `${LOGIN}: 16 files of JavaScript, at most 15`,
  ])
  expect(findTooLarge([])).toEqual(['the manifest names no login page'])
})
