import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const MARK =
  '<!-- `npm run docs:ledger` writes the rest from tools/pages/ledger-rules.mjs and the tests. -->'

/** All marks `// guards: L1.1, L1.2` of the tests in a folder: one for each rule and test. */
export function readMarks(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted((one, other) => (one < other ? -1 : 1))
    .flatMap((file) => marksIn(file, readFileSync(path.join(folder, file), 'utf8')))
}

/** The title of a mark is undefined if no test stands below it. */
export function marksIn(file, source) {
  return [...source.matchAll(/^( *)\/\/ guards: (.*)\n/gm)].flatMap((match) => {
    const [mark, indent, ids] = match
    const title = titleOf(source.slice(match.index + mark.length), indent)
    return ids.split(', ').map((id) => ({ id, file, title }))
  })
}

/** A call with a title begins the test, or closes its `each` on the same line or level. */
function titleOf(code, indent) {
  const [above, test] = code.split(/^ *(?:test|describe)\b/m)
  const call = new RegExp(String.raw`(?:^|\n${indent}(?! ))(?:.*?\))?\(\s*(['"])(.*?)\1,`)
  return above === '' ? call.exec(test)?.[2] : undefined
}

export function findProblems(groups, marks) {
  const rules = groups.flatMap((group) => group.rules.map(([id]) => id))
  const guarded = new Set(marks.filter(({ title }) => title !== undefined).map(({ id }) => id))
  return [
    ...rules.filter((id, index) => rules.indexOf(id) < index).map((id) => `two rules are ${id}`),
    ...rules.filter((id) => !guarded.has(id)).map((id) => `no test guards ${id}`),
    ...marks.flatMap(({ id, file, title }) => [
      ...(rules.includes(id) ? [] : [`${file} guards ${id}, which is no rule`]),
      ...(title === undefined ? [`${file} guards ${id} above no test`] : []),
    ]),
  ]
}

/** The page docs/reference/ledger.md: its handwritten beginning, and every rule with its tests. */
export function ledgerPage(page, groups, marks) {
  const sections = groups.map(({ title, rules }) => {
    const lines = rules.map(([id, sentence]) => {
      const tests = marks.filter((mark) => mark.id === id)
      const named = tests.map((test) => `\`${test.file}\`: *${test.title}*`).join('<br>')
      return `| ${id} | ${sentence} | ${named} |\n`
    })
    return `### ${title}\n\n| Rule | What holds | Tests |\n|---|---|---|\n${lines.join('')}`
  })
  return `${page.slice(0, page.indexOf(MARK))}${MARK}\n\n${sections.join('\n')}`
}
