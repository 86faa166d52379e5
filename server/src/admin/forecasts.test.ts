import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ROLE } from '@tollgate/contract'
import { describePlanes } from '../../testing/worlds/describe-planes.ts'
import { setRow } from '../../testing/worlds/rows.ts'

const HOUR = 3600
const NANO = 1e9

const rows = z.array(z.looseObject({ id: z.int(), days_left: z.number().nullable() }))

describePlanes('forecasts on %s', ['admin'], ({ plane, admin }) => {
  let now: number

  beforeAll(async () => {
    now = Math.floor(plane.clock.now / 1000)
  })

  const hour = () => Math.floor(now / HOUR)
  const list = async (path: string) =>
    rows.parse((await plane.call('GET', path, { as: admin })).data)

  test('a user sees how long the balance lasts, and so do administrators', async () => {
    const { kysely } = plane.database
    const user = await plane.addPerson(ROLE.user, 3000)
    const self = async () => (await plane.call('GET', '/api/user/self', { as: user })).data
    const at = { user_id: user.id, failures: 0, prompt_tokens: 0, completion_tokens: 0 }
    const use = (before: number, quota: number) => ({
      ...at,
      hour: hour() - before,
      model_name: 'gpt-6',
      requests: 1,
      quota,
    })
    // The last row is older than seven days.
    await kysely
      .insertInto('user_hours')
      .values([use(1, 3000), use(30, 2000), use(90, 2000), use(200, 90_000)])
      .execute()
    expect(await self()).toMatchObject({ days_left: null })
    await setRow(plane, 'users', user.id, { created_time: now - 60 * 24 * HOUR })
    expect(await self()).toMatchObject({ days_left: 3 })
    const users = await list('/api/user/')
    expect(users.find(({ id }) => id === user.id)?.days_left).toBe(3)
    expect(users.find(({ id }) => id === admin.id)?.days_left).toBeNull()
  })

  test('the balance of a provider lasts by its recorded costs', async () => {
    const { kysely } = plane.database
    const id = await plane.addChannel(admin, { type: 20 })
    const shown = async () => (await list('/api/channel/'))[0]?.days_left
    const set = (values: object) => setRow(plane, 'channels', id, values)
    const cost = (before: number, dollars: number, unknown = 0) =>
      kysely
        .insertInto('provider_hours')
        .values({
          channel_id: id,
          hour: hour() - before,
          model_name: `gpt-${before}`,
          key: '',
          attempts: 1,
          unknown,
          input_tokens: 1,
          cached_tokens: 0,
          written_tokens: 0,
          output_tokens: 1,
          cost: dollars * NANO,
        })
        .execute()
    for (const before of [1, 40, 80]) await cost(before, 7)
    await set({ created_time: now - 90 * 24 * HOUR, balance: 13, balance_updated_time: now })
    expect(await shown()).toBe(4.3)
    // 7 dollars were used since the balance was read.
    await set({ balance_updated_time: now - 20 * HOUR })
    expect(await shown()).toBe(2)
    await set({ balance_updated_time: now - 8 * 24 * HOUR })
    expect(await shown()).toBeNull()
    await set({ balance_updated_time: now })
    await cost(2, 0, 1)
    expect(await shown()).toBeNull()
  })

  test('a balance in yuan needs a rate', async () => {
    const { kysely } = plane.database
    const [channel] = await list('/api/channel/')
    const id = channel?.id ?? 0
    await kysely.updateTable('provider_hours').set({ unknown: 0 }).execute()
    await setRow(plane, 'channels', id, { type: 36, balance: 100, balance_updated_time: now })
    expect((await list('/api/channel/'))[0]?.days_left).toBeNull()
    const bill = { name: 'yuan', kind: 'csv', channels: [id], currency: 'CNY', rate: '0.15' }
    await plane.call('POST', '/api/bill/source/', { as: admin, body: bill })
    expect((await list('/api/channel/'))[0]?.days_left).toBe(5)
  })
})
