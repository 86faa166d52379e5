import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../testing/fakes/fake-clock.ts'
import { DATABASES, openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { statementsDuring } from '../../testing/harness/statements.ts'
import { createDatabaseCheck } from './database-check.ts'
import { openDatabase } from './database.ts'

describe.each(DATABASES)('the check of %s', (kind) => {
  let clock: FakeClock
  const isAsked = (sql: string) => sql.includes('select 1')

  const files = openPerTest(() => openTestDatabase(kind))
  const database = openPerTest(() => openDatabase(files))
  beforeEach(async () => {
    clock = new FakeClock()
  })
  test('any number of callers asks once a second', async () => {
    const check = createDatabaseCheck(database, clock)
    const askMany = async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, check))
      expect(answers.every(({ answers: does }) => does)).toBe(true)
    }
    const asked = await statementsDuring(async () => {
      await askMany()
      await clock.advance(999)
      await askMany()
    })
    expect(asked.filter(isAsked)).toHaveLength(1)
    const later = await statementsDuring(async () => {
      await clock.advance(1)
      await askMany()
    })
    expect(later.filter(isAsked)).toHaveLength(1)
  })

  test('a database that hangs is reported within a second, and asked once until it answers', async () => {
    const { promise: hung, resolve } = Promise.withResolvers<void>()
    // Each of the ledger's connections, and SQLite's only writer, waits in a transaction.
    const blockers = Array.from({ length: kind === 'postgres' ? 3 : 1 }, () =>
      database.forLedger.transaction(() => hung),
    )
    const check = createDatabaseCheck(database, clock)
    const first = check()
    await clock.advance(700)
    expect(await first).toMatchObject({ answers: false })
    await clock.advance(5000)
    expect(await check()).toMatchObject({ answers: false })
    resolve()
    await Promise.all(blockers)
    await expect
      .poll(async () => {
        await clock.advance(1000)
        return (await check()).answers
      })
      .toBe(true)
  })
})
