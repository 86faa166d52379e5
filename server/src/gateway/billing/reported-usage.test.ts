import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  chargeFor,
  type ReportRow,
  shareReportsWorld,
  unabbreviated,
} from '../../../testing/worlds/reported-usage.ts'

/*
 * Reports of usage, plausible and implausible. `__fixtures__/reported-usage.json` has the requests,
 * the answers, and what is charged; titles name public reports of other gateways' mistakes.
 */

const file = new URL('__fixtures__/reported-usage.json', import.meta.url)
const reports: Record<'honest' | 'dishonest' | 'inParts' | 'elsewhere', ReportRow[]> = JSON.parse(
  readFileSync(file, 'utf8'),
  unabbreviated,
)

describe('on SQLite', () => {
  const world = shareReportsWorld()

  test.each(reports.honest)('a plausible report is charged: $channel: $title', async (row) => {
    const { source, isMarked, charged } = await chargeFor(world, row)
    expect({ source, isMarked, charged }).toMatchObject({
      source: 'reported',
      isMarked: false,
      charged: row.charged ?? {},
    })
  })

  test.each(reports.dishonest)('an implausible report is not: $channel: $title', async (row) => {
    const { source, isMarked, charged } = await chargeFor(world, row)
    expect({ source, isMarked }).toEqual({ source: 'overruled', isMarked: true })
    expect(charged.completion).toBeLessThanOrEqual(16)
  })
})

describe.each(DATABASES)('on %s', (kind) => {
  const world = shareReportsWorld(kind)

  test.each([...reports.inParts, ...reports.elsewhere])('$title', async (row) => {
    const { source, isMarked, charged } = await chargeFor(world, row)
    expect({ source, isMarked, charged }).toMatchObject({
      source: 'reported',
      isMarked: false,
      charged: row.charged,
    })
  })
})
