import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { openBatchWorld } from '../../../testing/ledger/batch-world.ts'
import { openFaults, resolveFaults } from './resolve-faults.ts'

describe.each(DATABASES)('faults on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))
  test('resolves exactly the faults that were printed', async () => {
    const { database } = world
    const rows = Array.from({ length: 130 }, (_, position) => ({
      run: position < 40 ? 'other' : 'mine',
      position,
      record: '{}',
      error: 'no such user',
      created_at: 0,
    }))
    await database.kysely.insertInto('ledger_faults').values(rows).execute()
    const printed = await openFaults(database)
    expect(printed).toHaveLength(100)
    const resolved = await resolveFaults(database, { epoch: 'mine', nowSeconds: 1 })
    expect(resolved).toEqual(printed.filter(({ run }) => run === 'mine'))
    const left = await openFaults(database)
    expect(left.filter(({ run }) => run === 'mine').map(({ position }) => position)).toEqual(
      rows.slice(100).map(({ position }) => position),
    )
    expect(left.filter(({ run }) => run === 'other')).toHaveLength(40)
  })
})
