import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AGENTS } from './agents.ts'
import { DOUBLES } from './doubles.ts'
import { EXPECTED, expectationOf } from './expected.ts'
import type { Cell } from './matrix.ts'
import { agentsPage, PAGE } from './page.ts'

const PASSED = { type: 'passed' } as const

/** A run in which every pair comes out as expected; any other run fails. */
const cells = DOUBLES.flatMap((double) =>
  AGENTS.map((agent): Cell => {
    const outcome = expectationOf(agent, double, false) ?? PASSED
    return { agent, double, outcome, seconds: 0 }
  }),
)

test('docs/reference/agents.md is what `npm run agents -- --write-docs` writes', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(agentsPage(cells))
})

test('expectations name agents and doubles', () => {
  const doubles = DOUBLES.map(({ name }) => name)
  const agents = AGENTS.map(({ name }) => name)
  expect(EXPECTED.filter(({ double }) => !doubles.includes(double))).toEqual([])
  const named = EXPECTED.flatMap((row) => row.agents ?? [])
  expect(named.filter((name) => !agents.includes(name))).toEqual([])
})
