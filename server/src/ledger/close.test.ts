import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/databases.ts'
import { claimDataFolder, DataFolderInUseError } from '../store/data-folder.ts'
import { audit } from './audit.ts'
import { closeRuns, registerRun } from './close.ts'
import { createLedger } from './create-ledger.ts'
import {
  addToken,
  addUser,
  type LedgerWorld,
  mustHold,
  NOW_MS,
  openLedgerWorld,
  request,
  settlement,
  token,
  user,
} from './testing/ledger-world.ts'

const HOLDING_PROCESS = path.join(import.meta.dirname, 'testing/holding-process.ts')
const now = () => NOW_MS

describe.each(DATABASES)('on %s', (kind) => {
  let world: LedgerWorld

  beforeEach(async () => {
    world = await openLedgerWorld(kind)
  })

  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
    await world.close()
  })

  const logs = () => world.database.kysely.selectFrom('logs').selectAll().orderBy('id').execute()

  async function startHoldingProcess(userId: number, tokenId: number) {
    const child = spawn(
      process.execPath,
      [HOLDING_PROCESS, world.dataDir, world.databaseUrl ?? '', String(userId), String(tokenId)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [line] = await once(child.stdout, 'data')
    expect(String(line)).toBe('held\n')
    return child
  }

  test('what a process held when it was killed is given back once by the next on its folder', async () => {
    const userId = await addUser(world, 100)
    const tokenId = await addToken(world, userId, 100)
    const child = await startHoldingProcess(userId, tokenId)
    expect(await user(world, userId)).toMatchObject({ quota: 100, quota_leased: 70 })
    expect(() => claimDataFolder(world.dataDir)).toThrow(DataFolderInUseError)

    child.kill('SIGKILL')
    await once(child, 'exit')
    const folder = claimDataFolder(world.dataDir)
    const earlier = folder.addRun(world.run)
    expect(earlier).toHaveLength(1)
    await closeRuns(world.database, { runs: earlier, now })
    await closeRuns(world.database, { runs: earlier, now })
    folder.release()

    expect(await user(world, userId)).toMatchObject({ quota: 100, quota_leased: 0 })
    expect(await token(world, tokenId)).toMatchObject({ remain_quota: 100, quota_leased: 0 })
    expect(await logs()).toMatchObject([
      {
        request_id: 'killed',
        outcome: 'void',
        end_reason: 'interrupted',
        username: 'alice',
        token_name: 'laptop',
        model_name: 'gpt-4o',
      },
    ])
  })

  test('closing a run leaves what other runs hold', async () => {
    const userId = await addUser(world, 100)
    const tokenId = await addToken(world, userId)
    const other = await registerRun(world.database, { label: 'other machine', now })
    const keepsLog = () => ({ settled: true, void: true })
    const theirs = createLedger({
      database: world.database,
      run: other,
      now,
      keepsLog,
      remindBelow: () => 0,
    })
    await theirs.hold(request(userId, tokenId), { least: 30, most: 30 })
    await mustHold(world, request(userId, tokenId), { least: 50, most: 50 })
    await closeRuns(world.database, { runs: [world.run, 'a run of another database'], now })
    expect(await user(world, userId)).toMatchObject({ quota_leased: 30 })
    const nodes = await world.database.kysely
      .selectFrom('ledger_nodes')
      .select(['run', 'closed_at'])
      .where('closed_at', 'is', null)
      .execute()
    expect(nodes).toEqual([{ run: other, closed_at: null }])
  })

  test('a request that settles after its run was closed is charged to nobody', async () => {
    const userId = await addUser(world, 100)
    const tokenId = await addToken(world, userId)
    const hold = await mustHold(world, request(userId, tokenId), { least: 50, most: 50 })
    await closeRuns(world.database, { runs: [world.run], now })
    expect(await hold.settle(settlement(40))).toEqual({
      charged: 0,
      uncollected: 40,
      tokenExhausted: false,
    })
    expect(await logs()).toMatchObject([{ outcome: 'void', quota: 0 }])
  })

  test('a hold whose context cannot be read is given back all the same', async () => {
    const userId = await addUser(world, 100)
    const tokenId = await addToken(world, userId)
    for (const broken of ['{', 'null', '{"model":5}']) {
      await mustHold(world, request(userId, tokenId), { least: 20, most: 20 })
      await world.database.kysely
        .updateTable('holds')
        .set({ context: broken })
        .where('context', 'like', '%gpt-4o%')
        .execute()
    }
    await closeRuns(world.database, { runs: [world.run], now })
    expect(await user(world, userId)).toMatchObject({ quota_leased: 0 })
    expect(await logs()).toMatchObject([{ user_id: userId }, { model_name: '' }, {}])
  })

  test('requests that settle while their run is closed end once each', async () => {
    const userId = await addUser(world, 1000)
    const tokenId = await addToken(world, userId)
    const holds = await Promise.all(
      Array.from({ length: 30 }, () =>
        mustHold(world, request(userId, tokenId), { least: 10, most: 10 }),
      ),
    )
    await Promise.all([
      ...holds.map((hold) => hold.settle(settlement(10))),
      closeRuns(world.database, { runs: [world.run], now }),
    ])
    expect(await logs()).toHaveLength(30)
    expect(await user(world, userId)).toMatchObject({ quota_leased: 0, request_count: 30 })
  })
})
