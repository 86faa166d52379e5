import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  NOW,
  openNode,
  openBatchWorld,
  REMIND_BELOW,
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

  test('the charge that takes a balance below the threshold causes one reminder', async () => {
    const bob = await person(REMIND_BELOW + 100)
    await apply(end(bob, 100))
    expect(await reminders(bob)).toEqual([])
    await apply(end(bob, 1))
    const remaining = REMIND_BELOW - 1
    expect(await world.user(bob.id)).toMatchObject({ quota: remaining })
    expect(await reminders(bob)).toMatchObject([
      {
        message: { type: 'quota-reminder', user_id: bob.id, remaining },
        due_at: NOW,
        created_at: NOW,
        tries: 0,
      },
    ])
    await apply(end(bob, 50))
    expect(await reminders(bob)).toHaveLength(1)
  })

  test('the charge that exhausts a balance causes one reminder, of 0', async () => {
    const bob = await person(50)
    await apply(end(bob, 20))
    expect(await reminders(bob)).toEqual([])
    await apply(end(bob, 30))
    expect(await reminders(bob)).toMatchObject([{ message: { remaining: 0 } }])
  })

  test('a charge that crosses the threshold and reaches 0 causes one reminder, not two', async () => {
    const bob = await person(REMIND_BELOW + 1)
    await apply(end(bob, REMIND_BELOW + 1))
    expect(await reminders(bob)).toMatchObject([{ message: { remaining: 0 } }])
  })

  test('requests charged in a single batch cause a single reminder, of the remaining balance', async () => {
    const bob = await person(REMIND_BELOW + 50)
    await apply(...Array.from({ length: 10 }, () => end(bob, 10)))
    const remaining = REMIND_BELOW - 50
    expect(await reminders(bob)).toMatchObject([{ message: { remaining } }])
  })

  test('requests that end without a charge cause none', async () => {
    const bob = await person(REMIND_BELOW)
    await apply(voided(request(bob.id, bob.tokenId)), end(bob, 0))
    const empty = await person(0)
    await apply(end(empty, 0))
    expect([...(await reminders(bob)), ...(await reminders(empty))]).toEqual([])
  })

  test('a user without an address gets none, and is still charged', async () => {
    const eve = await person(REMIND_BELOW, '')
    await apply(end(eve, 10))
    expect(await world.user(eve.id)).toMatchObject({ quota: REMIND_BELOW - 10 })
    expect(await reminders(eve)).toEqual([])
  })

  test('the threshold of the user replaces that of the site; 0 stands for no mail', async () => {
    const own = async (quota: number, remind_below: number) => {
      const someone = await person(quota)
      await setRow(world, 'users', someone.id, { remind_below })
      return someone
    }
    const ann = await own(REMIND_BELOW * 3, REMIND_BELOW * 2)
    await apply(end(ann, REMIND_BELOW))
    expect(await reminders(ann)).toEqual([])
    await apply(end(ann, 1))
    const remaining = REMIND_BELOW * 2 - 1
    expect(await reminders(ann)).toMatchObject([{ message: { remaining } }])
    await apply(end(ann, REMIND_BELOW))
    expect(await reminders(ann)).toHaveLength(1)
    await setRow(world, 'users', ann.id, { quota: REMIND_BELOW * 2 })
    await apply(end(ann, 1))
    expect(await reminders(ann)).toHaveLength(2)
    const silent = await own(REMIND_BELOW + 1, 0)
    await apply(end(silent, 2), end(silent, REMIND_BELOW - 1))
    expect(await world.user(silent.id)).toMatchObject({ quota: 0 })
    expect(await reminders(silent)).toEqual([])
  })

  test('the leases of a dead epoch are released without a reminder', async () => {
    const bob = await person(REMIND_BELOW)
    const dead = await openNode(world.ledgerDatabase)
    await dead.lease(userAccount(bob.id), 200)
    const voids = [voided(request(bob.id, bob.tokenId))]
    await world.ledgerDatabase.closeEpoch({ epoch: dead.epoch, type: 'finished', voids })
    expect(await world.user(bob.id)).toMatchObject({ quota: REMIND_BELOW, quota_leased: 0 })
    expect(await reminders(bob)).toEqual([])
  })
})
