import { beforeAll, expect, test } from 'vitest'
import { ROLE, USER_STATUS } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import { idsOf, type Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { setRow } from '../../../testing/worlds/rows.ts'

describePlanes('filters of users on %s', [], ({ plane }) => {
  let root: Person
  let admin: Person
  let vip: Person
  let banned: Person
  let quiet: Person

  beforeAll(async () => {
    root = await plane.addPerson(ROLE.root, 1_000_000)
    admin = await plane.addPerson(ROLE.admin, 10)
    vip = await plane.addPerson(ROLE.user, 5000)
    banned = await plane.addPerson(ROLE.user, 300)
    quiet = await plane.addPerson(ROLE.user, 400)
    await setRow(plane, 'users', vip.id, {
      group: 'default,v_p',
      github_id: 'octo',
      inviter_id: admin.id,
    })
    await setRow(plane, 'users', banned.id, { status: USER_STATUS.disabled, group: 'vip' })
    const now = Math.floor(plane.clock.now / 1000)
    const spentDaysAgo = async (by: Person, days: number) => {
      await spend(plane.ledger, { by, tokenId: await plane.addToken(by), cost: 10 })
      const hour = Math.floor(now / 3600) - days * 24
      const hours = plane.database.kysely.updateTable('user_hours').set({ hour })
      await hours.where('user_id', '=', by.id).execute()
    }
    await spentDaysAgo(vip, 2)
    await spentDaysAgo(quiet, 40)
  })

  const list = (query: string) => plane.call('GET', `/api/user/?size=100&${query}`, { as: root })

  test.each([
    ['role=admin', () => [admin]],
    ['role=user&status=enabled', () => [quiet, vip]],
    ['status=disabled', () => [banned]],
    ['group=v_p', () => [vip]],
    ['group=vip', () => [banned]],
    ['group=vi', () => []],
    ['quota_min=390&quota_max=5000', () => [quiet, vip]],
    ['active=day', () => []],
    ['active=week', () => [vip]],
    ['active=idle', () => [quiet]],
    ['active=never', () => [banned, admin, root]],
    ['provider=github', () => [vip]],
    ['provider=none&role=user', () => [quiet, banned]],
    ['status=enabled&sort=quota&order=asc&role=user', () => [quiet, vip]],
  ])('%s', async (query, expected) => {
    const answer = await list(query)
    expect(idsOf(answer)).toEqual(expected().map(({ id }) => id))
    expect(answer.headers['x-total-count']).toBe(String(expected().length))
  })

  test('a keyword and an inviter are filters as well', async () => {
    expect(idsOf(await list(`inviter_id=${admin.id}`))).toEqual([vip.id])
    expect(idsOf(await list(`keyword=${vip.username}`))).toContain(vip.id)
    expect(idsOf(await list(`keyword=${vip.username}&status=disabled`))).toEqual([])
  })

  test('a value that no filter has is named', async () => {
    const wrong = ['role=boss', 'status=9', 'active=ever', 'provider=x', 'quota_min=-1']
    for (const query of wrong) {
      expect((await list(query)).message).toContain(`"${query.split('=')[0]}"`)
    }
  })

  test('the entries of a balance name who caused them, newest first', async () => {
    const body = { user_id: quiet.id, quota: 25, remark: 'goodwill' }
    await plane.call('POST', '/api/topup', { as: root, body })
    const answer = await plane.call('GET', `/api/user/${quiet.id}/credits`, { as: root })
    expect(answer.headers['x-total-count']).toBe('2')
    expect(answer.data).toMatchObject([
      { amount: 25, kind: 'topup', note: 'goodwill', actor_id: root.id, actor_name: root.username },
      { amount: 400, note: '' },
    ])
  })
})
