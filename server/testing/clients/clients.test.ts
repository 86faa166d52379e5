import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openOnce } from '../harness/open-once.ts'
import { type Column, COLUMNS, TASK_COLUMNS } from './columns.ts'
import { CLIENTS, type Line, runMatrix } from './matrix.ts'
import { type MemberTable, runMembers } from './members/run.ts'
import { dialectsPage } from './page.ts'
import { runTasks, TASK_CLIENTS, type TaskLine } from './tasks/run.ts'
import { openMatrixWorld } from './world.ts'

const PAGE = join(import.meta.dirname, '../../../docs/reference/dialects.md')
const RUN_MS = 240_000

let matrix: Line[]
let tasks: TaskLine[]
let members: MemberTable[]

const world = openOnce(() => openMatrixWorld())
beforeAll(async () => {
  matrix = await runMatrix(world)
  tasks = await runTasks(world)
  members = await runMembers(world)
}, RUN_MS)

function failuresIn(lines: readonly (Line | TaskLine)[], columns: readonly Column[]) {
  expect(lines.length).toBeGreaterThan(0)
  return lines.flatMap(({ client, feature, outcomes }) =>
    outcomes.flatMap((outcome, index) =>
      outcome.type === 'failed'
        ? [{ client: client.name, at: `${feature.name}, ${columns[index]?.name}`, ...outcome }]
        : [],
    ),
  )
}

const NAMES = [...CLIENTS, ...TASK_CLIENTS].map(({ name }) => name)

test.each(NAMES)('%s receives from every provider what it can give, or a reason', (name) => {
  const failed = [...failuresIn(matrix, COLUMNS), ...failuresIn(tasks, TASK_COLUMNS)]
  expect(failed.filter(({ client }) => client === name)).toEqual([])
})

test('every member is passed on, left out or refused with a reason', () => {
  const outcomes = members.flatMap(({ lines }) => lines).flatMap((line) => line.outcomes)
  expect(outcomes.filter(({ type }) => type === 'failed')).toEqual([])
  const refusals = outcomes.flatMap((one) => (one.type === 'refused' ? [one.message] : []))
  for (const message of refusals) expect(message).not.toBe('')
})

test('every known failure still fails', () => {
  const unbroken = world.providers.flatMap(({ column: { name, knownToFail = {} }, broken }) =>
    Object.keys(knownToFail)
      .filter((rule) => !broken.some(({ id }) => id === rule))
      .map((rule) => `${name}: ${rule}`),
  )
  expect(unbroken).toEqual([])
})

test('the books are correct afterwards', async () => {
  expect(await world.findings()).toEqual([])
})

describe('docs/reference/dialects.md', () => {
  test('is what `npm run clients -- --write-docs` writes', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(dialectsPage({ matrix, tasks, members }))
  })
})
