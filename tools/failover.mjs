// Runs the scenarios of the public Failover Bench with their real times and prints a table.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findCommand, install, LaunchError } from './launcher/install.mjs'
import { exitCodeOf, launch, startNode } from './launcher/processes.mjs'

const passedOf = (tests) => tests.filter(({ status }) => status === 'passed').length

await launch(async () => {
  const node = install()
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-failover-'))
  try {
    console.log('Running all scenarios side by side; this takes about a minute and a half …')
    const resultFile = path.join(folder, 'result.json')
    const output = ['--reporter=json', `--outputFile.json=${resultFile}`]
    const config = ['--config', 'server/testing/failover/vitest.config.ts']
    const child = startNode(node, [
      findCommand('vitest'),
      'run',
      '--root',
      '.',
      ...config,
      ...output,
    ])
    await exitCodeOf(child)
    if (!existsSync(resultFile)) throw new LaunchError('The scenarios could not be run.')
    return print(JSON.parse(readFileSync(resultFile, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function print({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const groups = new Set(tests.map(({ ancestorTitles }) => ancestorTitles[0]))
  const width = Math.max(...tests.map(({ title }) => title.length))
  for (const group of groups) {
    const rows = tests.filter(({ ancestorTitles }) => ancestorTitles[0] === group)
    console.log(`\n${group}`)
    for (const [index, { title, status, meta, failureMessages }] of rows.entries()) {
      const seconds = `${((meta?.answerMs ?? 0) / 1000).toFixed(2)} s`.padStart(8)
      const number = String(index + 1).padStart(2)
      console.log(`${number}  ${title.padEnd(width)}  ${status.padEnd(6)} ${seconds}`)
      if (status !== 'passed') console.log(failureMessages.join('\n'))
    }
    console.log(`${passedOf(rows)}/${rows.length}`)
  }
  return tests.length > 0 && passedOf(tests) === tests.length ? 0 : 1
}
