import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import {
  mustHold,
  openLedgerWorld,
  openTestLedger,
  request,
  settlement,
} from '../../testing/ledger/ledger-world.ts'
import { audit } from './audit/audit.ts'

const CHILD = fileURLToPath(new URL('../../testing/ledger/holding-process.ts', import.meta.url))

describe.each(DATABASES)('on %s', (kind) => {
  const world = openPerTest(() => openLedgerWorld(kind))

  test('a hold is raised while the balance allows, and keeps its amount otherwise', async () => {
    const alice = await world.addUser(100)
    const laptop = await world.addToken(alice)
    const hold = await mustHold(world, request(alice, laptop), { min: 10, max: 10 })
    expect(await hold.raise({ min: 60, max: 60 })).toEqual({ type: 'held' })
    expect(hold.amount).toBe(60)
    expect(await hold.raise({ min: 200, max: 200 })).toMatchObject({ type: 'insufficient' })
    expect(hold.amount).toBe(60)
    expect(await hold.raise({ min: 60, max: 200 })).toEqual({ type: 'held' })
    expect(hold.amount).toBe(100)
    await hold.settle(settlement(90))
    await world.ledger.whenApplied()
    expect((await world.user(alice)).quota).toBe(10)
  })

  test('unused quota is released, and closing releases the rest', async () => {
    const alice = await world.addUser(1_000_000)
    const laptop = await world.addToken(alice)
    const hold = await mustHold(world, request(alice, laptop), { min: 100, max: 100 })
    await hold.settle(settlement(100))
    await world.ledger.whenApplied()
    expect((await world.user(alice)).quota).toBe(999_900)
    await world.ledger.close()
    expect(await world.user(alice)).toMatchObject({ quota: 999_900, quota_leased: 0 })
    expect(await audit(world.database)).toEqual([])
    await expect(world.ledger.hold(request(alice, laptop), { min: 1, max: 1 })).rejects.toThrow(
      'stopping',
    )
  })

  // guards: L5.2
  test('the database stores no impossible balance', async () => {
    const alice = await world.addUser(1000)
    const laptop = await world.addToken(alice, 500)
    const { kysely } = world.database
    const impossible = [
      ...[{ quota: -1 }, { quota: 2 ** 53 }, { quota_leased: -1 }, { quota_leased: 1001 }].map(
        (row) => kysely.updateTable('users').set(row).where('id', '=', alice),
      ),
      ...[
        { remain_quota: -1 },
        { remain_quota: 2 ** 53 },
        { quota_leased: -1 },
        { quota_leased: 501 },
      ].map((row) => kysely.updateTable('tokens').set(row).where('id', '=', laptop)),
    ]
    for (const update of impossible) await expect(update.execute()).rejects.toThrow(/constraint/i)
  })

  test('after a kill -9 the next start charges ended requests and voids open ones', async () => {
    const alice = await world.addUser(1000)
    const laptop = await world.addToken(alice)
    const dataDir = join(world.dataDir, 'child')
    const { databaseUrl = '' } = world
    const place = kind === 'sqlite' ? world.dataDir : dataDir
    const child = spawn(process.execPath, [CHILD, place, databaseUrl, `${alice}`, `${laptop}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const next = await openTestLedger({ ...world, dataDir: place })
    expect(await world.user(alice)).toMatchObject({
      quota: 970,
      quota_leased: 0,
      request_count: 2,
    })
    const rows = await world.database.kysely
      .selectFrom('logs')
      .select(['request_id', 'outcome', 'end_reason'])
      .orderBy('request_id')
      .execute()
    expect(rows).toEqual([
      { request_id: 'ended', outcome: 'settled', end_reason: 'finished' },
      { request_id: 'killed', outcome: 'void', end_reason: 'interrupted' },
    ])
    expect(await audit(world.database)).toEqual([])
    await next.close()
  })
})
