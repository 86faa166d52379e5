import { beforeAll, expect, test } from 'vitest'
import { spend } from '../../testing/ledger/spend.ts'
import { idOf, idsOf, tokenForm } from '../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../testing/worlds/describe-planes.ts'

const ROWS = 4

const SEARCHES = [
  '/api/user/search?keyword=',
  `/api/user/search?keyword=Size`,
  '/api/token/search?keyword=size',
  '/api/redemption/search?keyword=size',
  '/api/channel/search?keyword=size',
  '/api/log/search?keyword=',
  '/api/log/search?keyword=2',
  '/api/log/self/search?keyword=2',
]

describePlanes('the number of rows in a search on %s', ['root'], ({ plane, root }) => {
  const create = (path: string, body: object) => plane.call('POST', path, { as: root, body })

  beforeAll(async () => {
    await create('/api/redemption/', { name: 'size', quota: 1, count: ROWS })
    const channel = { type: 1, key: 'sk', models: 'm', group: 'default' }
    for (let count = 1; count <= ROWS; count++) {
      const name = `size ${count}`
      await create('/api/user/', {
        username: `size${count}`,
        password: 'password',
        display_name: `Size ${count}`,
      })
      await create('/api/channel/', { ...channel, name })
      const token = await create('/api/token/', { ...tokenForm, name })
      await spend(plane.ledger, { by: root, tokenId: idOf(token), cost: 0 })
    }
  })

  test.each(SEARCHES)('%s: the requested number of rows, or up to a hundred', async (path) => {
    const ids = async (size: string) =>
      idsOf(await plane.call('GET', `${path}${size}`, { as: root }))
    const all = await ids('')
    expect(all.length).toBeGreaterThanOrEqual(ROWS)
    expect(await ids('&size=2')).toEqual(all.slice(0, 2))
    for (const none of ['', '0', '-1', 'x', '1.5', '100000']) {
      expect(await ids(`&size=${none}`), none).toEqual(all)
    }
  })
})
