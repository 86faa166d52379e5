import { beforeEach, expect, test } from 'vitest'
import { ROLE, USER_STATUS } from '@tollgate/contract'
import { statementsDuring } from '../../../testing/harness/statements.ts'
import { accessTokenOf, type Person } from '../../../testing/worlds/control-plane.ts'
import { describeFreshPlanes } from '../../../testing/worlds/describe-planes.ts'
import { mailedTo, outboxOf } from '../../../testing/worlds/outbox.ts'
import { readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'

const EMAIL = 'alice+1@example.org'

describeFreshPlanes('password reset on %s', [], ({ plane }) => {
  let alice: Person

  beforeEach(async () => {
    alice = await plane.addPerson()
    await change(alice.id, { email: EMAIL })
    await plane.setOption('SMTPServer', 'smtp.example')
    await plane.setOption('ServerAddress', 'https://gate.example')
  })

  const change = (id: number, values: object) => setRow(plane, 'users', id, values)

  const rowOf = ({ id }: Person) => readUser(plane, id)

  const ask = (email = EMAIL, { address = '192.0.2.1', headers = {} } = {}) =>
    plane.call('GET', `/api/reset_password?${new URLSearchParams({ email }).toString()}`, {
      address,
      headers,
    })

  const reset = (token: unknown, { email = EMAIL, address = '192.0.2.1' } = {}) =>
    plane.call('POST', '/api/user/reset', { body: { email, token }, address })

  const linkOf = async (email = EMAIL) => new URL((await mailedTo(plane, email)).at(-1) ?? '')

  const tokenOf = async () => (await linkOf()).searchParams.get('token') ?? ''

  test('the link sets a new password, and ends every session and the access token', async () => {
    const other = await plane.addPerson()
    const before = await rowOf(other)
    await ask()
    const answer = await reset(await tokenOf())
    expect([answer.success, answer.data]).toEqual([true, expect.stringMatching(/^\w{12}$/)])
    expect((await plane.call('GET', '/api/user/self', { as: alice })).status).toBe(401)
    const headers = { authorization: accessTokenOf(alice) }
    expect((await plane.call('GET', '/api/user/self', { headers })).success).toBe(false)
    const body = { username: alice.username, password: answer.data }
    expect((await plane.call('POST', '/api/user/login', { body })).success).toBe(true)
    expect(await rowOf(other)).toEqual(before)
    const stored = await storedRows(plane, 'users')
    expect(JSON.stringify(stored) + plane.logLines.join('')).not.toContain(answer.data)
  })

  test('the link uses the server address, whatever host was requested', async () => {
    const attacks: Record<string, string>[] = [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
      { forwarded: 'host=evil.example' },
      { 'x-original-url': 'https://evil.example', 'x-host': 'evil.example' },
    ]
    for (const [index, headers] of attacks.entries()) {
      await ask(EMAIL, { headers, address: index === 0 ? '192.0.2.1' : '10.9.1.1' })
      const link = await linkOf()
      expect(`${link.origin}${link.pathname}`).toBe('https://gate.example/user/reset')
      expect([...link.searchParams.keys()]).toEqual(['email', 'token'])
      expect(link.searchParams.get('email')).toBe(EMAIL)
    }
    expect(JSON.stringify(await outboxOf(plane))).not.toContain('evil')
  })

  test('the token is 32 bytes, and no table holds it', async () => {
    const answer = await ask()
    const token = await tokenOf()
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const codes = await storedRows(plane, 'verification_codes')
    const outside = JSON.stringify([codes, await outboxOf(plane), answer]) + plane.logLines.join('')
    expect(outside).not.toContain(token)
  })

  test('the existence of an account stays secret: same answer, same work, no mail', async () => {
    const root = await plane.addPerson(ROLE.root)
    const banned = await plane.addPerson()
    const deleted = await plane.addPerson()
    await change(root.id, { email: 'root@example.org' })
    await change(banned.id, { email: 'banned@example.org', status: USER_STATUS.disabled })
    await change(deleted.id, { email: 'deleted@example.org', status: USER_STATUS.deleted })
    await ask('warm@example.org', { address: '192.0.2.2' })

    const answers: string[] = []
    const say = async (email: string) => void answers.push((await ask(email)).text)
    // Settings and prices are read again whenever their memo has expired, whoever asks.
    const workFor = async (email: string) =>
      (await statementsDuring(() => say(email))).filter(
        (sql) => !/option_changes|_prices/.test(sql),
      )
    const forAlice = await workFor(EMAIL)
    const names = ['nobody', 'root', 'banned', 'deleted']
    for (const name of names) {
      expect(await workFor(`${name}@example.org`)).toEqual(forAlice)
    }
    expect(new Set(answers)).toEqual(new Set(['{"success":true,"message":""}']))
    const types = (await outboxOf(plane)).map(({ type }) => type)
    expect(types).toEqual(['nothing', 'reset', 'nothing', 'nothing', 'nothing', 'nothing'])
  })

  test.each(['ServerAddress', 'SMTPServer'] as const)(
    'without %s every address gets the same refusal, and the log says why',
    async (key) => {
      await plane.setOption(key, '')
      const lines = plane.logLines.length
      const refusal = await ask()
      expect([refusal.success, refusal.message]).toEqual([
        false,
        'This site cannot send reset emails. Ask its administrator for a new password.',
      ])
      expect(await outboxOf(plane)).toEqual([])
      const said = plane.logLines.slice(lines).filter((line) => line.includes(key))
      expect(said).toHaveLength(1)
      expect(said[0]).not.toContain(EMAIL)
      expect((await ask('nobody@example.org')).text).toBe(refusal.text)
    },
  )

  test('the link leads to the console if it has its own host', async () => {
    await plane.setOption('ConsoleAddress', 'https://console.example')
    await ask(EMAIL, { headers: { host: 'console.example' } })
    expect((await linkOf()).origin).toBe('https://console.example')
  })

  test('a link is valid once, also for concurrent uses', async () => {
    await ask()
    const token = await tokenOf()
    const answers = await Promise.all(Array.from({ length: 5 }, () => reset(token)))
    expect(answers.filter(({ success }) => success === true)).toHaveLength(1)
    const again = await reset(token, { address: '192.0.2.9' })
    expect(again.message).toBe('The reset link is not valid or has expired.')
  })

  test('a new link replaces the old one', async () => {
    await ask()
    const old = await tokenOf()
    await ask()
    expect((await reset(old)).success).toBe(false)
    expect((await reset(await tokenOf())).success).toBe(true)
  })

  test('a link expires after ten minutes', async () => {
    await ask()
    plane.clock.now += 600_000
    expect((await reset(await tokenOf())).success).toBe(false)
  })

  test("wrong tokens do not block the owner's reset", async () => {
    await ask()
    const before = await rowOf(alice)
    const guesses = Array.from({ length: 12 }, (_, index) =>
      reset('x'.repeat(43), { address: `192.0.2.${index + 10}` }),
    )
    const answers = await Promise.all(guesses)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    expect(answers.some(({ success }) => success === true)).toBe(false)
    expect(await rowOf(alice)).toEqual(before)
    expect((await reset(await tokenOf())).success).toBe(true)
  })

  test('the token of one address resets no other, and no code registers', async () => {
    const bob = await plane.addPerson()
    await change(bob.id, { email: 'bob@example.org' })
    const before = await rowOf(bob)
    await ask()
    await ask('bob@example.org')
    expect((await reset(await tokenOf(), { email: 'bob@example.org' })).success).toBe(false)
    expect(await rowOf(bob)).toEqual(before)
    await plane.call('GET', '/api/verification?email=new@example.org')
    const [code] = await mailedTo(plane, 'new@example.org')
    expect((await reset(code, { email: 'new@example.org' })).success).toBe(false)
  })

  test.each([
    ['banned', { status: USER_STATUS.disabled }],
    ['made root', { role: ROLE.root }],
    ['given another address', { email: 'elsewhere@example.org' }],
  ])('a user who was %s meanwhile is not reset', async (_, values) => {
    await ask()
    await change(alice.id, values)
    const before = await rowOf(alice)
    const answer = await reset(await tokenOf())
    expect(answer.message).toBe('The reset link is not valid or has expired.')
    expect(await rowOf(alice)).toEqual(before)
  })

  test('one address may request, and try, twenty times in twenty minutes', async () => {
    for (let count = 0; count < 20; count++) {
      expect((await ask(`a${count}@example.org`)).status).toBe(200)
      expect((await reset('x', { email: `a${count}@example.org` })).status).toBe(200)
    }
    const refused = [await ask('b@example.org'), await reset('x', { email: 'b@example.org' })]
    expect(refused.map(({ status }) => status)).toEqual([429, 429])
  })

  test('an account is tried at most ten times in twenty minutes, whether it exists or not', async () => {
    for (const email of [EMAIL, 'nobody@example.org']) {
      for (let count = 0; count < 10; count++) {
        const answer = await reset('x', { email, address: `192.0.2.${count}` })
        expect(answer.status).toBe(200)
      }
      expect((await reset('x', { email, address: '192.0.2.99' })).status).toBe(429)
    }
  })
})
