import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { DATABASES, openEmptyDatabase } from '../../testing/harness/databases.ts'
import { runCommand } from '../../testing/harness/run-command.ts'
import {
  type ControlPlane,
  openControlPlane,
  type Person,
} from '../../testing/worlds/control-plane.ts'
import { readUser, setRow } from '../../testing/worlds/rows.ts'
import { peopleOf } from '../../testing/worlds/second-factor-world.ts'
import { createPasswords } from '../http/password.ts'

const resetRoot = (place: Parameters<typeof runCommand>[1], ...args: string[]) =>
  runCommand('reset-root', place, ...args)

describe.each(DATABASES)('reset-root on %s', (kind) => {
  let plane: ControlPlane
  let root: Person
  let admin: Person

  beforeEach(async () => {
    // The command hashes at the cost of production.
    plane = await openControlPlane(kind, { passwords: createPasswords() })
    root = await plane.addPerson(ROLE.root)
    admin = await plane.addPerson(ROLE.admin)
  })
  afterEach(() => plane.close())

  const rowOf = (id: number) => readUser(plane, id)

  const logIn = (password: string) =>
    plane.call('POST', '/api/user/login', { body: { username: root.username, password } })

  test('next to a running server, root gets the given password and is logged out', async () => {
    await setRow(plane, 'users', root.id, { status: 2 })
    const before = await rowOf(admin.id)
    expect(await resetRoot(plane.files, '--password', 'correct horse')).toEqual({
      code: 0,
      output: `reset-root: ${root.username} logs in with the password that was given\n`,
    })
    expect((await plane.call('GET', '/api/user/self', { as: root })).status).toBe(401)
    expect((await logIn('correct horse')).success).toBe(true)
    expect(await rowOf(root.id)).toMatchObject({ status: 1, access_token_hash: null })
    expect(await rowOf(admin.id)).toEqual(before)
    expect((await plane.call('GET', '/api/user/self', { as: admin })).success).toBe(true)
  })

  test('the second factors of root are removed, and the output says so', async () => {
    const people = await peopleOf(plane)
    const { secret } = await people.addTotp(root)
    await people.addPasskey(root)
    const { secret: ofAdmin } = await people.addTotp(admin)
    expect((await resetRoot(plane.files, '--password', 'correct horse')).output).toBe(
      `reset-root: ${root.username} logs in with the password that was given\n` +
        `reset-root: the second factors of ${root.username} were removed; set up new ones\n`,
    )
    expect((await logIn('correct horse')).data).toMatchObject({ username: root.username })
    const stored = await plane.database.kysely.selectFrom('second_factors').selectAll().execute()
    expect(stored.map(({ user_id }) => user_id)).toEqual([admin.id])
    expect(secret).not.toBe(ofAdmin)
    expect(await plane.database.kysely.selectFrom('passkeys').selectAll().execute()).toEqual([])
  })

  test('without a given password, a random one is printed', async () => {
    const { code, output } = await resetRoot(plane.files)
    const password = /the password ([A-Za-z0-9]{12})\n$/.exec(output)?.[1] ?? ''
    expect(code).toBe(0)
    expect(await plane.passwords.verify(password, (await rowOf(root.id)).password_hash)).toBe(true)
  })

  test('a database without a root user is one sentence', async () => {
    await plane.database.kysely.updateTable('users').set({ role: ROLE.user }).execute()
    expect(await resetRoot(plane.files)).toEqual({
      code: 1,
      output: 'reset-root: could not be done: this database has no super administrator.\n',
    })
  })
})

test('an invalid password or option changes nothing', async () => {
  const plane = await openControlPlane('sqlite')
  await plane.addPerson(ROLE.root)
  const rows = () => plane.database.kysely.selectFrom('users').selectAll().execute()
  const before = await rows()
  for (const password of ['short', 'with\ncontrol']) {
    const { code, output } = await resetRoot(plane.files, `--password=${password}`)
    expect(code).toBe(1)
    expect(output).toMatch(/^reset-root: could not be done: --password is not valid: .+\n$/)
  }
  expect((await resetRoot(plane.files, '--pasword=correct horse')).code).toBe(1)
  expect(await rows()).toEqual(before)
  await plane.close()
})

test('a missing or unreachable database is one sentence each', async () => {
  const place = await openEmptyDatabase('sqlite')
  const missing = await resetRoot(place)
  expect(missing.code).toBe(1)
  expect(missing.output).toMatch(
    /^reset-root: could not be done: DATA_DIR .* holds no database\.\n$/,
  )
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/nothing'
  expect((await resetRoot({ ...place, databaseUrl })).output).toContain('ECONNREFUSED')
  await place.close()
})
