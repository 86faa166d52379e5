import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../launcher/install.mjs'
import { findProblems, ledgerPage, marksIn, readMarks } from './ledger-page.mjs'
import { RULE_GROUPS } from './ledger-rules.mjs'

const PAGE = readFileSync(path.join(ROOT, 'docs/reference/ledger.md'), 'utf8')
const GROUPS = [
  {
    title: 'L1 Once',
    rules: [
      ['L1.1', 'x'],
      ['L1.2', 'y'],
    ],
  },
]

const marks = readMarks(path.join(ROOT, 'server/src'))
const planted = (source) => findProblems(GROUPS, marksIn('a.test.ts', source))

test('every rule of the ledger has a test, and every mark names a rule', () => {
  expect(findProblems(RULE_GROUPS, marks)).toEqual([])
})

test('docs/reference/ledger.md is what `npm run docs:ledger` writes', () => {
  expect(PAGE).toBe(ledgerPage(PAGE, RULE_GROUPS, marks))
})

test('a renamed test and a changed rule make the page outdated', () => {
  const renamed = marks.with(0, { ...marks[0], title: 'another title' })
  expect(ledgerPage(PAGE, RULE_GROUPS, renamed)).not.toBe(PAGE)
  const [{ title, rules }, ...others] = RULE_GROUPS
  const changed = [{ title, rules: rules.with(0, [rules[0][0], 'another rule']) }, ...others]
  expect(ledgerPage(PAGE, changed, marks)).not.toBe(PAGE)
})

test('a mark finds the title of its test in every form, and only of the test below it', () => {
  const source = `
// guards: A
test('plain', async () => {
  // guards: B
  test.each(list)("it's one line", (a) => call(a)('no', a))
  // guards: C
  test.each<[string, number]>([
    ['no', call(1)('no', 2)],
  ])('table', (a) => {})
  // guards: D
  test.each(
    list('no', 1),
  )(
    'on its own line',
    (a) => {},
  )
})
// guards: E
const list = 1
test('not marked', () => {})
`
  expect(marksIn('a.test.ts', source).map(({ id, title }) => [id, title])).toEqual([
    ['A', 'plain'],
    ['B', "it's one line"],
    ['C', 'table'],
    ['D', 'on its own line'],
    ['E', undefined],
  ])
})

test.each([
  ['a rule without a test', '// guards: L1.1\ntest("t", f)', ['no test guards L1.2']],
  [
    'a mark above no test',
    '// guards: L1.1, L1.2\n\ntest("t", f)',
    [
      'no test guards L1.1',
      'no test guards L1.2',
      'a.test.ts guards L1.1 above no test',
      'a.test.ts guards L1.2 above no test',
    ],
  ],
  [
    'a mark of no rule',
    '// guards: L1.1, L1.2, L1.3\ntest("t", f)',
    ['a.test.ts guards L1.3, which is no rule'],
  ],
])('%s is found', (_what, source, problems) => {
  expect(planted(source)).toEqual(problems)
})

test('two rules that share an id are found', () => {
  const twice = [...GROUPS, { title: 'again', rules: [['L1.2', 'z']] }]
  const guarded = marksIn('a.test.ts', '// guards: L1.1, L1.2\ntest("t", f)')
  expect(findProblems(twice, guarded)).toEqual(['two rules are L1.2'])
})
