import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  NOW,
  openNode,
  openBatchWorld,
  REMIND_BELOW as T,
  request,
  settled,
  voided,
} from '../../../testing/ledger/batch-world.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { userAccount } from '../account.ts'
import type { EndRecord } from '../record.ts'

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))

  async function person(quota: number, email = 'bob@example.com') {
    const id = await world.addUser(quota)
    const address = email === '' ? '' : `${id}-${email}`
    await setRow(world, 'users', id, { email: address })
    return { id, tokenId: await world.addToken(id) }
  }

  type Person = Awaited<ReturnType<typeof person>>

  const end = ({ id, tokenId }: Person, cost: number) => settled(request(id, tokenId), cost)
  const apply = (...records: EndRecord[]) => world.node.flush({ records })

  async function reminders({ id }: Person) {
    const rows = await world.database.kysely.selectFrom('outbox').selectAll().execute()
    const messages = rows.map((row) => ({ ...row, message: JSON.parse(row.message) }))
    return messages.filter(({ message }) => message.user_id === id)
  }

  test.each<[what: string, quota: number, batches: number[][], reminded: number[]]>([
    ['a charge that goes below it, once', T + 100, [[100], [1], [50]], [T - 1]],
    ['a charge that exhausts a balance below it', 50, [[20], [30]], [0]],
    ['a charge that goes below it and to 0, once', T + 1, [[T + 1]], [0]],
    ['the charges of a batch, once', T + 50, [Array(10).fill(10)], [T - 50]],
    ['no request that costs nothing', T, [[0]], []],
    ['no request that costs nothing without a balance', 0, [[0]], []],
  ])('the threshold reminds of %s', async (_what, quota, batches, reminded) => {
    const bob = await person(quota)
    for (const costs of batches) await apply(...costs.map((cost) => end(bob, cost)))
    expect(await reminders(bob)).toMatchObject(
      reminded.map((remaining) => ({
        message: { type: 'quota-reminder', user_id: bob.id, remaining },
        due_at: NOW,
        created_at: NOW,
        tries: 0,
      })),
    )
    const charged = batches.flat().reduce((sum, cost) => sum + cost, 0)
    expect(await world.user(bob.id)).toMatchObject({ quota: quota - charged })
  })

  test('a user without an address gets none, and is still charged', async () => {
    const eve = await person(T, '')
    await apply(end(eve, 10))
    expect(await world.user(eve.id)).toMatchObject({ quota: T - 10 })
    expect(await reminders(eve)).toEqual([])
  })

  test('the threshold of the user replaces that of the site; 0 stands for no mail', async () => {
    const own = async (quota: number, remind_below: number) => {
      const someone = await person(quota)
      await setRow(world, 'users', someone.id, { remind_below })
      return someone
    }
    const ann = await own(T * 3, T * 2)
    await apply(end(ann, T))
    expect(await reminders(ann)).toEqual([])
    await apply(end(ann, 1))
    const remaining = T * 2 - 1
    expect(await reminders(ann)).toMatchObject([{ message: { remaining } }])
    await apply(end(ann, T))
    expect(await reminders(ann)).toHaveLength(1)
    await setRow(world, 'users', ann.id, { quota: T * 2 })
    await apply(end(ann, 1))
    expect(await reminders(ann)).toHaveLength(2)
    const silent = await own(T + 1, 0)
    await apply(end(silent, 2), end(silent, T - 1))
    expect(await world.user(silent.id)).toMatchObject({ quota: 0 })
    expect(await reminders(silent)).toEqual([])
  })

  test('the leases of a dead epoch are released without a reminder', async () => {
    const bob = await person(T)
    const dead = await openNode(world.ledgerDatabase)
    await dead.lease(userAccount(bob.id), 200)
    const voids = [voided(request(bob.id, bob.tokenId))]
    await world.ledgerDatabase.closeEpoch({ epoch: dead.epoch, type: 'finished', voids })
    expect(await world.user(bob.id)).toMatchObject({ quota: T, quota_leased: 0 })
    expect(await reminders(bob)).toEqual([])
  })
})
