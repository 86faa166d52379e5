import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { openHttpsServer } from '../../testing/fakes/https-server.ts'
import { DATABASES } from '../../testing/harness/databases.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import {
  type Answer,
  type Call,
  type ControlPlane,
  openControlPlane,
} from '../../testing/worlds/control-plane.ts'
import { mailedTo } from '../../testing/worlds/outbox.ts'
import { setRow, storedRows } from '../../testing/worlds/rows.ts'

const PASSWORD = 'correct horse'

describe.each(DATABASES)('two servers on one database on %s', (kind) => {
  let planes: [ControlPlane, ControlPlane]
  let turnstile: Awaited<ReturnType<typeof openHttpsServer>>
  let env: { TURNSTILE_ADDRESS: string }
  let networks = 0

  beforeAll(async () => {
    turnstile = await openHttpsServer({})
    env = { TURNSTILE_ADDRESS: turnstile.url }
    const first = await openControlPlane(kind, { env })
    await first.setOption('SMTPServer', 'mail.example')
    await first.setOption('ServerAddress', 'https://gate.example')
    planes = [first, await openControlPlane(kind, { env, sharing: first })]
  })
  afterAll(async () => {
    await planes[1].close()
    await planes[0].close()
    await turnstile.close()
  })

  /** Sends `count` parallel requests, half of them to each process. */
  const askAtOnce = (count: number, ask: (plane: ControlPlane, index: number) => Promise<Answer>) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        ask(index % 2 === 0 ? planes[0] : planes[1], index),
      ),
    )

  const letIn = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length

  /** A new address for every guess. */
  const newAddresses = () => {
    networks += 1
    return (index: number) => `2001:db8:${networks}:${index}::1`
  }

  const addSomebody = async () => {
    const person = await planes[0].addPerson()
    const password_hash = await planes[0].passwords.hash(PASSWORD)
    await setRow(planes[0], 'users', person.id, { password_hash })
    return person
  }

  const logIn = (plane: ControlPlane, username: string, address: string, password = 'wrong') =>
    plane.call('POST', '/api/user/login', { body: { username, password }, address })

  test('let concurrent guesses through to an account ten times in total', async () => {
    const { username } = await addSomebody()
    const from = newAddresses()
    const answers = await askAtOnce(100, (plane, index) => logIn(plane, username, from(index)))
    expect(letIn(answers)).toBe(10)
    for (const plane of planes) {
      expect((await logIn(plane, username, from(200), PASSWORD)).status).toBe(429)
    }
  })

  if (kind === 'postgres') {
    test('count alike if the clock of one is an hour ahead', async () => {
      const [first] = planes
      const clock = { now: first.clock.now + 3_600_000 }
      const ahead = await openControlPlane(kind, { env, sharing: { files: first.files, clock } })
      const { username } = await addSomebody()
      const from = newAddresses()
      for (let guess = 0; guess < 20; guess++) {
        const { status } = await logIn(guess % 2 === 0 ? first : ahead, username, from(guess))
        expect(status).toBe(guess < 10 ? 200 : 429)
      }
      first.clock.now += 20 * 60 * 1000
      expect((await logIn(first, username, from(20), PASSWORD)).success).toBe(true)
      await ahead.close()
    })
  }

  test('and through from an address twenty times', async () => {
    const address = newAddresses()(1)
    const answers = await askAtOnce(40, (plane, index) => logIn(plane, `nobody${index}`, address))
    expect(letIn(answers)).toBe(20)
  })

  test('share known browsers', async () => {
    const { username } = await addSomebody()
    const from = newAddresses()
    expect((await logIn(planes[0], username, from(0), PASSWORD)).success).toBe(true)
    await askAtOnce(12, (plane, index) => logIn(plane, username, from(index + 1)))
    expect((await logIn(planes[1], username, from(20), PASSWORD)).status).toBe(429)
    expect((await logIn(planes[1], username, from(0), PASSWORD)).success).toBe(true)
  })

  const codeFor = async (email: string, address: string) => {
    const path = `/api/verification?email=${encodeURIComponent(email)}`
    expect((await planes[0].call('GET', path, { address })).success).toBe(true)
    return (await mailedTo(planes[0], email)).at(-1) ?? ''
  }

  test('allow five guesses of a code from an address, and ten in total', async () => {
    const from = newAddresses()
    const email = `guessed${networks}@example.org`
    const code = await codeFor(email, from(0))
    const people = await Promise.all(Array.from({ length: 50 }, () => planes[0].addPerson()))
    const bind = (plane: ControlPlane, index: number, given: { code: string; address: string }) =>
      plane.call('GET', `/api/oauth/email/bind?email=${email}&code=${given.code}`, {
        as: people[index % 50] ?? '',
        address: given.address,
        headers: { 'sec-fetch-site': 'same-origin' },
      })
    const ofOne = { code: 'AAAAAA', address: from(1) }
    const answers = await askAtOnce(50, (plane, index) => bind(plane, index, ofOne))
    expect(letIn(answers)).toBe(5)
    await askAtOnce(50, (plane, index) =>
      bind(plane, index, { code: 'AAAAAA', address: from(index + 2) }),
    )
    expect(await storedRows(planes[0], 'verification_codes', { email })).toMatchObject([
      { tries: 10 },
    ])
    const late = await bind(planes[1], 0, { code, address: from(0) })
    expect(late.message).toMatch(/wrong or has expired/)
  })

  test('let wrong reset tokens through to an account ten times', async () => {
    const from = newAddresses()
    const body = { email: `nobody${networks}@example.org`, token: 'x' }
    const answers = await askAtOnce(40, (plane, index) =>
      plane.call('POST', '/api/user/reset', { body, address: from(index) }),
    )
    expect(letIn(answers)).toBe(10)
  })

  test('count mails to an address, starts of logins and gift code guesses together', async () => {
    const from = newAddresses()
    const run = networks
    const mails = await askAtOnce(40, (plane, index) =>
      plane.call('GET', `/api/reset_password?email=mailed${run}@example.org`, {
        address: from(index),
      }),
    )
    expect(letIn(mails)).toBe(20)
    const starts = await askAtOnce(40, (plane) =>
      plane.call('GET', '/api/oauth/state', { address: from(100) }),
    )
    expect(letIn(starts)).toBe(20)
    const as = await planes[0].addPerson(ROLE.user)
    const guesses = await askAtOnce(40, (plane, index) =>
      plane.call('POST', '/api/user/topup', { as, body: { key: `guess ${index}` } }),
    )
    expect(letIn(guesses)).toBe(20)
  })

  test('accept a CAPTCHA passed for a code for one registration, on either server', async () => {
    const passed: Call = { address: newAddresses()(1) }
    const verify = '/turnstile/v0/siteverify'
    turnstile.route(verify, { body: { success: true } })
    await planes[0].setOption('TurnstileSiteKey', 'site')
    await planes[0].setOption('TurnstileSecretKey', 'secret')
    await planes[0].setOption('TurnstileCheckEnabled', 'true')
    await waitUntil(async () => planes[1].settings.current().TurnstileCheckEnabled)
    const path = '/api/verification?email=human@example.org&turnstile=response'
    expect((await planes[0].call('GET', path, passed)).success).toBe(true)
    turnstile.route(verify, { body: { success: false } })
    const answers = await askAtOnce(10, (plane, index) =>
      plane.call('POST', '/api/user/register?turnstile=response', {
        ...passed,
        body: { username: `human${index}`, password: PASSWORD },
      }),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
  })

  test('store nothing readable of what was typed, and nothing expired', async () => {
    const { kysely } = planes[0].database
    await logIn(planes[0], 'a password in the wrong field', newAddresses()(1))
    const rows = await kysely.selectFrom('attempts').selectAll().execute()
    expect(rows.length).toBeGreaterThan(3)
    for (const { key_hash } of rows) expect(key_hash).toMatch(/^[\w-]{43}$/)
    planes[0].clock.now += 31 * 24 * 3600 * 1000
    await logIn(planes[0], 'nobody', newAddresses()(1))
    expect(await kysely.selectFrom('attempts').select('key_hash').execute()).toHaveLength(3)
  })
})
