import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CHECK = path.join(import.meta.dirname, 'check-tree.mjs')
let root

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tollgate-tree-'))
  plant(
    'contract/src/errors.ts',
    `export const ERRORS = { away: { status: 503, en: 'a', zh: 'b' } }`,
  )
  plant(
    'contract/src/options.ts',
    `export const OPTIONS = { Port: { label: { en: 'a', zh: 'b' } } }`,
  )
  plant(
    'contract/src/option-sections.ts',
    `export const OPTION_SECTIONS = { log: { title: { en: 'a', zh: 'b' } } }`,
  )
})

afterEach(() => rmSync(root, { recursive: true }))

function plant(file, text) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}

function check() {
  return new Promise((resolve) => {
    execFile(process.execPath, [CHECK, root], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

test('a tree that obeys every rule is green', async () => {
  plant('relay/src/providers/groq/descriptor.ts', `export const groq = { dialect: 'openai' }`)
  plant('relay/src/providers/groq/codec.ts', `export const codec = {}`)
  plant('relay/src/providers/cohere/descriptor.ts', `export const cohere = { dialect: 'cohere' }`)
  plant('relay/src/providers/cohere/codec.ts', `export const codec = {}`)
  plant('relay/src/providers/cohere/__fixtures__/about.json', `{}`)
  expect(await check()).toMatchObject({ code: 0 })
})

const violations = [
  ['a file over the limit', 'server/src/long.ts', 'x\n'.repeat(401), '401 lines'],
  ['a leftover marker', 'server/src/a.ts', `// ${'TO' + 'DO'}: later`, 'server/src/a.ts:1'],
  ['a focused test', 'server/src/a.test.ts', `\ntest.${'only'}('x')`, 'server/src/a.test.ts:2'],
  ['a test left out', 'e2e/a.e2e.ts', `describe.${'skip'}('x')`, 'e2e/a.e2e.ts:1'],
  ['corner quotes', 'server/src/a.ts', `zh: '\u300ca\u300d'`, 'server/src/a.ts:1: quotes'],
  ['a package registry', 'docs/a.md', `https://${'registry'}.example.org/x`, 'docs/a.md:1'],
  [
    'an unfinished merge',
    'docs/a.md',
    `# A\n\n${'>'.repeat(7)} 6eb8b8a5 (a: b)`,
    'docs/a.md:3: an',
  ],
  ['a page with a poor opening', 'docs/a.md', '# A\n\nOf a key.', 'docs/a.md:3: "Of"'],
  ['a wide page', 'README.md', `# A\n\n* ${'word '.repeat(20)}`, 'README.md:3: 102 columns'],
  ['a poor cell', 'docs/a.md', '| A | B |\n|---|---|\n| a | Who asks |', 'docs/a.md:3: "Who"'],
  ['a poor comment in CSS', 'console/src/a.css', 'a {}\n/* Whose\n   width */', 'a.css:2: "Whose"'],
  ['a wide comment in C', 'bench/a.c', `int a; /* ${'word '.repeat(20)}*/`, 'bench/a.c:1: 11'],
  [
    'a page that names no file',
    'docs/a.md',
    '# A\n\n`server/src/b.ts` is.',
    'docs/a.md:3: no file',
  ],
  ['a page that names no folder', 'docs/a.md', '`relay/src/away/`', 'no file relay/src/away'],
  ['a page with the end of no path', 'docs/a.md', '`src/erors.ts`', 'no file src/erors.ts'],
  ['a comment that names no file', 'e2e/a.ts', 'let a\n// See `b.ts`.', 'e2e/a.ts:2: no file b.ts'],
  [
    'a download address',
    'package-lock.json',
    '"resolved": "https://x/y.tgz"',
    'package-lock.json:1',
  ],
  [
    'a codec without fixtures',
    'relay/src/providers/zhipu/codec.ts',
    'export {}',
    'providers/zhipu',
  ],
  [
    'an error without Chinese',
    'contract/src/errors.ts',
    `export const ERRORS = { away: { status: 503, en: 'a', zh: '' } }`,
    'error away: no text in zh',
  ],
  [
    'texts that disagree about a placeholder',
    'contract/src/errors.ts',
    `export const ERRORS = { away: { status: 503, en: 'a {name}', zh: 'b' } }`,
    'error away',
  ],
  [
    'an option without English',
    'contract/src/options.ts',
    `export const OPTIONS = { Port: { label: { zh: 'b' } } }`,
    'option Port: no text in en',
  ],
  [
    'a hint without Chinese',
    'contract/src/options.ts',
    `export const OPTIONS = { Port: { label: { en: 'a', zh: 'b' }, hint: { en: 'a', zh: ' ' } } }`,
    'hint of Port: no text in zh',
  ],
  [
    'a section without Chinese',
    'contract/src/option-sections.ts',
    `export const OPTION_SECTIONS = { log: { title: { en: 'a' } } }`,
    'section log: no text in zh',
  ],
]

test('code, table rows, addresses and quoted test titles in a page are green', async () => {
  plant('a.test.ts', '')
  plant(
    'docs/a.md',
    [
      '# A',
      '```',
      `Of ${'word '.repeat(30)}`,
      '```',
      `| \`a.test.ts\`: *is told anew* | ${'word '.repeat(30)} |`,
      `* https://example.org/${'x'.repeat(100)}`,
      '* Write `Nobody` in code only.',
    ].join('\n'),
  )
  expect(await check()).toMatchObject({ code: 0 })
})

test('paths in backticks are green if a file or a build has them, or if they are code', async () => {
  plant(
    'docs/a.md',
    '`contract/src/` has `contract/src/errors.ts`: `src/errors.ts` or `errors.ts`.\n' +
      'Patterns: `contract/src/*.ts`, `server/src/<room>/a.ts`. Built: `console/dist/a.js`.',
  )
  plant('bench/LAB.md', '`bench/gone.mjs`')
  plant('tools/a.mjs', 'const file = `server/src/gone.ts`')
  expect(await check()).toMatchObject({ code: 0 })
})

test.each(violations)('%s is red', async (_name, file, text, report) => {
  plant(file, text)
  const { code, output } = await check()
  expect(code).toBe(1)
  expect(output).toContain(report)
})

const cycles = [
  ['of types', `import type { B } from './b.ts'`, `export type { A } from './a.ts'`],
  ['of a dynamic import', `import { b } from './b.ts'`, `void import('./a.ts')`],
  ['of effects', `import './b.ts'`, `import './a.ts'`],
]

test.each(cycles)('an import cycle %s is red', async (_name, a, b) => {
  plant('relay/src/a.ts', a)
  plant('relay/src/b.ts', b)
  const { code, output } = await check()
  expect(code).toBe(1)
  expect(output).toContain('relay/src/a.ts → relay/src/b.ts → relay/src/a.ts')
})

test('an import cycle through test code is green', async () => {
  plant('relay/src/a.ts', `import './testing/b.ts'`)
  plant('relay/src/testing/b.ts', `import '../a.ts'`)
  plant('relay/src/c.test.ts', `import './d.ts'`)
  plant('relay/src/d.ts', `import './c.test.ts'`)
  expect(await check()).toMatchObject({ code: 0 })
})
