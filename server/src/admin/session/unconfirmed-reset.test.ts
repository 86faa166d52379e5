import { beforeEach, expect, test } from 'vitest'
import { type OptionKey, ROLE } from '@tollgate/contract'
import { statementsDuring } from '../../../testing/harness/statements.ts'
import { openControlPlane, type Person } from '../../../testing/worlds/control-plane.ts'
import { describeFreshPlane } from '../../../testing/worlds/describe-planes.ts'
import { mailedTo, outboxOf } from '../../../testing/worlds/outbox.ts'
import { readUser, setRow } from '../../../testing/worlds/rows.ts'
import { listUnconfirmed } from '../../settings/confirmation.ts'

const ANN = 'ann@example.org'
const BOB = 'bob@example.org'

const HELD_BACK = /super administrator has to confirm a change of/

const TITLE = 'resets under settings that root has not confirmed'

describeFreshPlane(TITLE, ['root', 'admin', 'user'], ({ plane, root, admin: adam, user: ann }) => {
  let bob: Person

  beforeEach(async () => {
    bob = await plane.addPerson(ROLE.admin)
    await change(ann, { email: ANN })
    await change(bob, { email: BOB })
    await plane.setOption('SMTPServer', 'smtp.example')
    await plane.setOption('ServerAddress', 'https://gate.example')
  })

  const change = ({ id }: Person, values: object) => setRow(plane, 'users', id, values)

  const save = (as: Person, key: OptionKey, value: string) =>
    plane.done('PUT', '/api/option/', { as, body: { key, value } })

  const confirmAll = async () => {
    const ids = (await listUnconfirmed(plane.database.kysely)).map(({ id }) => id)
    await plane.call('POST', '/api/option/confirm', { as: root, body: { ids } })
  }

  const ask = (email: string) =>
    plane.call('GET', `/api/reset_password?${new URLSearchParams({ email }).toString()}`)

  const linkTo = async (email: string) => (await mailedTo(plane, email)).at(-1)

  const reset = async (email: string, link = '') => {
    const token = new URL(link).searchParams.get('token')
    return plane.call('POST', '/api/user/reset', { body: { email, token } })
  }

  const passwordOf = async ({ id }: Person) => (await readUser(plane, id)).password_hash

  test.each<[OptionKey, string]>([
    ['ServerAddress', 'https://evil.example'],
    ['SMTPServer', 'smtp.evil.example'],
    ['SMTPPort', '2525'],
    ['SMTPAccount', 'adam'],
    ['SMTPToken', 'a token'],
    ['SMTPFrom', 'gate@evil.example'],
    ['TurnstileSiteKey', 'a site'],
  ])('after a change of %s an administrator gets no mail, and a user does', async (key, value) => {
    await save(adam, key, value)
    const lines = plane.logLines.length
    const answer = await ask(BOB)
    expect(answer.text).toBe((await ask('nobody@example.org')).text)
    expect(answer.text).toBe((await ask(ANN)).text)
    expect(await linkTo(BOB)).toBeUndefined()
    expect(await linkTo(ANN)).toBeDefined()
    const said = plane.logLines.slice(lines).filter((line) => line.includes('no reset email'))
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(HELD_BACK)
    expect(said[0]).toContain(key)
    expect(said[0]).not.toContain(BOB)
    expect((await reset(ANN, await linkTo(ANN))).success).toBe(true)

    await confirmAll()
    await ask(BOB)
    expect((await reset(BOB, await linkTo(BOB))).success).toBe(true)
  })

  test("root's changes, and changes without an effect on resets, block no reset", async () => {
    await save(root, 'SMTPServer', 'smtp.other.example')
    await save(root, 'ServerAddress', 'https://other.example')
    await save(adam, 'GitHubClientId', 'other')
    await ask(BOB)
    expect(await linkTo(BOB)).toMatch(/^https:\/\/other\.example\/user\/reset\?/)
    expect((await reset(BOB, await linkTo(BOB))).success).toBe(true)
  })

  test('a link sent before the change works only after root has confirmed', async () => {
    await ask(BOB)
    await ask(ANN)
    await save(adam, 'SMTPServer', 'smtp.evil.example')
    const before = await passwordOf(bob)
    const refused = await reset(BOB, await linkTo(BOB))
    expect([refused.status, refused.success, refused.data]).toEqual([200, false, undefined])
    expect(refused.message).toMatch(HELD_BACK)
    expect(refused.message).toContain('SMTPServer')
    expect(await passwordOf(bob)).toBe(before)
    expect((await reset(ANN, await linkTo(ANN))).success).toBe(true)
    await confirmAll()
    expect((await reset(BOB, await linkTo(BOB))).success).toBe(true)
  })

  test('the role at the time of the reset counts', async () => {
    await ask(ANN)
    await save(adam, 'SMTPServer', 'smtp.evil.example')
    await change(ann, { role: ROLE.admin })
    expect((await reset(ANN, await linkTo(ANN))).message).toMatch(HELD_BACK)
    await change(ann, { role: ROLE.user })
    expect((await reset(ANN, await linkTo(ANN))).success).toBe(true)
  })

  test('the amount of work does not reveal administrators', async () => {
    await save(adam, 'SMTPServer', 'smtp.evil.example')
    await ask('warm@example.org')
    /** Without the reads of the job that alerts root of the change. */
    const workFor = async (email: string) => {
      const statements = await statementsDuring(() => ask(email))
      return statements.filter((sql) => !sql.includes('"actor_name"'))
    }
    const forBob = await workFor(BOB)
    expect(forBob.some((sql) => sql.includes('option_changes'))).toBe(true)
    for (const email of [ANN, 'nobody@example.org']) expect(await workFor(email)).toEqual(forBob)
  })

  test('a node that still has restored settings sends no link based on them', async () => {
    const node = await openControlPlane('sqlite', { sharing: plane })
    // Simulates a snapshot that the other node read between the two changes.
    const { current } = node.settings
    const version = node.settings.versionOf('reset_mail')
    const evil = { ...current(), ServerAddress: 'https://evil.example' }
    await save(adam, 'ServerAddress', 'https://evil.example')
    await save(adam, 'ServerAddress', 'https://gate.example')
    node.settings.current = () => evil
    node.settings.versionOf = () => version + 1
    const answer = await node.call('GET', `/api/reset_password?email=${BOB}`)
    expect(answer.success).toBe(true)
    expect(await linkTo(BOB)).toBeUndefined()
    expect((await outboxOf(plane)).map(({ type }) => type)).toEqual(['identity-alert', 'nothing'])
    await node.close()
  })
})
