import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/databases.ts'
import { closeRuns } from './close.ts'
import {
  addToken,
  addUser,
  type LedgerWorld,
  mustHold,
  NOW_MS,
  openLedgerWorld,
  REMIND_BELOW,
  request,
  settlement,
  user,
} from './testing/ledger-world.ts'

describe.each(DATABASES)('on %s', (kind) => {
  let world: LedgerWorld

  beforeAll(async () => {
    world = await openLedgerWorld(kind)
  })

  afterAll(() => world.close())

  async function person(quota: number, email = 'bob@example.com') {
    const id = await addUser(world, quota)
    const address = email === '' ? '' : `${id}-${email}`
    await world.database.kysely
      .updateTable('users')
      .set({ email: address })
      .where('id', '=', id)
      .execute()
    return { id, tokenId: await addToken(world, id) }
  }

  type Person = Awaited<ReturnType<typeof person>>

  const open = ({ id, tokenId }: Person, most: number) =>
    mustHold(world, request(id, tokenId), { least: 1, most })

  const spend = async (owner: Person, cost: number) =>
    (await open(owner, cost)).settle(settlement(cost))

  async function reminders({ id }: Person) {
    const rows = await world.database.kysely.selectFrom('outbox').selectAll().execute()
    const messages = rows.map((row) => ({ ...row, message: JSON.parse(row.message) }))
    return messages.filter(({ message }) => message.user_id === id)
  }

  const at = Math.floor(NOW_MS / 1000)

  test('the charge that takes a balance below the threshold leaves one reminder', async () => {
    const bob = await person(REMIND_BELOW + 100)
    await spend(bob, 100)
    expect(await reminders(bob)).toEqual([])
    await spend(bob, 1)
    const remaining = REMIND_BELOW - 1
    expect(await user(world, bob.id)).toMatchObject({ quota: remaining })
    expect(await reminders(bob)).toMatchObject([
      {
        message: { type: 'quota-reminder', user_id: bob.id, remaining },
        due_at: at,
        created_at: at,
        tries: 0,
      },
    ])
    await spend(bob, 50)
    expect(await reminders(bob)).toHaveLength(1)
  })

  test('the charge that uses a balance up leaves one, of 0', async () => {
    const bob = await person(50)
    await spend(bob, 20)
    expect(await reminders(bob)).toEqual([])
    await spend(bob, 30)
    expect(await reminders(bob)).toMatchObject([{ message: { remaining: 0 } }])
  })

  test('a charge that goes through the threshold to 0 leaves one, not two', async () => {
    const bob = await person(REMIND_BELOW + 1)
    await spend(bob, REMIND_BELOW + 1)
    expect(await reminders(bob)).toMatchObject([{ message: { remaining: 0 } }])
  })

  test('requests that end at once leave one reminder among them', async () => {
    const bob = await person(REMIND_BELOW + 50)
    const holds = []
    for (let count = 0; count < 10; count++) holds.push(await open(bob, 10))
    await Promise.all(holds.map((hold) => hold.settle(settlement(10))))
    expect(await user(world, bob.id)).toMatchObject({ quota: REMIND_BELOW - 50 })
    expect(await reminders(bob)).toMatchObject([{ message: { remaining: REMIND_BELOW - 10 } }])
  })

  test('what ends without a charge leaves none', async () => {
    const bob = await person(REMIND_BELOW)
    await (await open(bob, 200)).void(settlement(0))
    await (await open(bob, 200)).settle(settlement(0))
    const empty = await person(0)
    const free = await mustHold(world, request(empty.id, empty.tokenId), { least: 0, most: 0 })
    await free.settle(settlement(0))
    expect([...(await reminders(bob)), ...(await reminders(empty))]).toEqual([])
  })

  test('a user without an address gets none, and is charged all the same', async () => {
    const eve = await person(REMIND_BELOW, '')
    await spend(eve, 10)
    expect(await user(world, eve.id)).toMatchObject({ quota: REMIND_BELOW - 10 })
    expect(await reminders(eve)).toEqual([])
  })

  test('what a dead run held is given back without a reminder', async () => {
    const bob = await person(REMIND_BELOW)
    await open(bob, 200)
    await closeRuns(world.database, { runs: [world.run], now: () => NOW_MS })
    expect(await user(world, bob.id)).toMatchObject({ quota: REMIND_BELOW, quota_leased: 0 })
    expect(await reminders(bob)).toEqual([])
  })
})
