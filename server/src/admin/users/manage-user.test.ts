import { expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { accessTokenOf, type Call } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'

describePlanes('a promotion on %s', [], ({ plane }) => {
  test('ends the sessions and the access token of the ordinary account', async () => {
    const [root, user] = [await plane.addPerson(ROLE.root), await plane.addPerson()]
    const isLetIn = async (call: Call) =>
      (await plane.call('GET', '/api/user/self', call)).success === true
    const byToken = { headers: { authorization: accessTokenOf(user) } }
    expect([await isLetIn({ as: user }), await isLetIn(byToken)]).toEqual([true, true])
    const body = { username: user.username, action: 'promote' }
    const answer = await plane.call('POST', '/api/user/manage', { as: root, body })
    expect(answer.data).toEqual({ role: ROLE.admin, status: 1 })
    expect([await isLetIn({ as: user }), await isLetIn(byToken)]).toEqual([false, false])
    const as = await plane.signIn(user.id)
    expect((await plane.call('GET', '/api/channel/', { as })).success).toBe(true)
  })
})
