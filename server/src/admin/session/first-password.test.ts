import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_ROOT_PASSWORD, ROLE } from '@tollgate/contract'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { openControlPlane, type Person } from '../../../testing/worlds/control-plane.ts'
import { setRow } from '../../../testing/worlds/rows.ts'

const FAR = '203.0.113.5'

describe('the first password', () => {
  const env = { DEFAULT_PASSWORD_NETWORKS: ['198.51.100.0/24'] }
  const plane = openOnce(() => openControlPlane('sqlite', { env }))
  let root: Person

  beforeAll(async () => {
    root = await plane.addPerson(ROLE.root)
    await setPassword(DEFAULT_ROOT_PASSWORD)
  })

  const setPassword = async (password: string) => {
    const password_hash = await plane.passwords.hash(password)
    await setRow(plane, 'users', root.id, { password_hash })
  }

  const logIn = (address: string, headers: Record<string, string> = {}, password?: string) =>
    plane.call('POST', '/api/user/login', {
      body: { username: root.username, password: password ?? DEFAULT_ROOT_PASSWORD },
      address,
      headers,
    })

  test.each([
    ['127.0.0.1', {}, true],
    ['192.168.7.7', {}, true],
    ['198.51.100.7', {}, true],
    [FAR, {}, false],
    ['2001:db8::1', {}, false],
    ['127.0.0.1', { 'x-forwarded-for': FAR }, false],
    ['10.9.0.1', { 'x-forwarded-for': FAR }, false],
    ['10.9.0.1', { 'x-forwarded-for': '192.168.7.7' }, true],
  ])('signs root in from %s with %j: %s', async (address, headers, success) => {
    const answer = await logIn(address, headers)
    expect(answer).toMatchObject({ status: 200, success })
    if (success) return
    expect(answer.message).toContain('DEFAULT_PASSWORD_NETWORKS')
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('another password signs root in from any address', async () => {
    await setPassword('correct horse')
    expect(await logIn(FAR, {}, 'correct horse')).toMatchObject({ success: true })
    expect((await logIn(FAR)).message).toContain('Wrong username or password')
  })
})
