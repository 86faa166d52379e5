import { expect, test } from 'vitest'
import { filesOf } from './console-pages.mjs'

const manifest = {
  'index.html': { file: 'entry.js', imports: ['_shell.js'] },
  '_shell.js': { file: 'shell.js', imports: ['index.html'] },
  '_table.js': { file: 'table.js', imports: ['_shell.js'], css: ['table.css'] },
  'logs-page.tsx': { file: 'logs.js', imports: ['_table.js'], dynamicImports: ['dialog.tsx'] },
  'messages.ts': { file: 'texts.js' },
  'dialog.tsx': { file: 'dialog.js', imports: ['_shell.js'] },
}

test('a page names its own scripts and style sheets, the largest first', () => {
  const sizes = { 'table.js': 60, 'logs.js': 20, 'texts.js': 90, 'table.css': 30 }
  const files = filesOf(manifest, ['logs-page.tsx', 'messages.ts'], (file) => sizes[file])
  expect(files).toEqual(['texts.js', 'table.js', 'table.css', 'logs.js'])
  expect(filesOf(manifest, ['index.html'], () => 0)).toEqual([])
})
