import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type HttpsServer, openHttpsServer } from '../../../testing/fakes/https-server.ts'
import { type ControlPlane, openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'

const PATH = '/turnstile/v0/siteverify'
const SECRET = 'the-secret-of-turnstile'

const USED = { body: { success: false, 'error-codes': ['timeout-or-duplicate'] } }

let count = 0

describe('the CAPTCHA', () => {
  let plane: ControlPlane
  let turnstile: HttpsServer

  beforeAll(async () => {
    turnstile = await openHttpsServer()
    plane = await openControlPlane('sqlite', { env: { TURNSTILE_ADDRESS: turnstile.url } })
    await plane.setOption('SMTPServer', 'smtp.example')
    await plane.setOption('ServerAddress', 'https://gate.example')
    await plane.setOption('TurnstileSiteKey', 'site')
    await plane.setOption('TurnstileSecretKey', SECRET)
    await plane.setOption('TurnstileCheckEnabled', 'true')
  })
  beforeEach(() => {
    turnstile.requests.length = 0
    turnstile.route(PATH, { body: { success: true } })
  })
  afterAll(async () => {
    await plane.close()
    await turnstile.close()
  })

  const CALLS = ['register', 'verification', 'reset_password'] as const
  type Name = (typeof CALLS)[number]

  const call = (name: Name, response: string | null, { address = '', language = 'en' } = {}) => {
    count += 1
    const query = new URLSearchParams(response === null ? {} : { turnstile: response })
    const options = {
      address: address === '' ? `2001:db8:${count.toString(16)}::1` : address,
      headers: { 'accept-language': language },
    }
    if (name === 'register') {
      const body = { username: `human${count}`, password: 'correct horse' }
      return plane.call('POST', `/api/user/register?${query.toString()}`, { ...options, body })
    }
    query.set('email', `a${count}@example.org`)
    return plane.call('GET', `/api/${name}?${query.toString()}`, options)
  }

  const stored = async () => [
    await plane.database.kysely.selectFrom('users').select('username').execute(),
    await outboxOf(plane),
  ]

  test.each(CALLS)('%s sends Turnstile the response and the address', async (name) => {
    const answer = await call(name, 'a response', { address: '192.0.2.7' })
    expect(answer.message).toBe('')
    const [request] = turnstile.requests
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(request).toMatchObject({ method: 'POST', path: PATH, headers })
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      secret: SECRET,
      response: 'a response',
      remoteip: '192.0.2.7',
    })
  })

  test.each(CALLS)('%s without a response is refused without a call to Turnstile', async (name) => {
    const before = await stored()
    for (const response of [null, '']) {
      const answer = await call(name, response)
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/retry in a few seconds/)
      expect((await call(name, response, { language: 'zh' })).message).toMatch(/几秒/)
    }
    expect(turnstile.requests).toEqual([])
    expect(await stored()).toEqual(before)
  })

  test.each(CALLS)('%s is refused when Turnstile refuses', async (name) => {
    const before = await stored()
    turnstile.route(PATH, USED)
    const answer = await call(name, 'used before')
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(/check failed/)
    expect(await stored()).toEqual(before)
  })

  test('a passed one is valid for one call only', async () => {
    for (const name of ['register', 'reset_password'] as const) {
      const response = `good for ${name}`
      await call(name, response, { address: '192.0.2.8' })
      turnstile.route(PATH, USED)
      for (const next of CALLS) {
        expect((await call(next, response, { address: '192.0.2.8' })).success).toBe(false)
      }
      turnstile.route(PATH, { body: { success: true } })
    }
    expect(turnstile.requestsTo(PATH)).toHaveLength(8)
  })

  test('one passed for a code is valid once for the registration with that code', async () => {
    const from = { address: '192.0.2.9' }
    expect((await call('verification', 'twice', from)).success).toBe(true)
    turnstile.route(PATH, USED)
    expect((await call('verification', 'twice', from)).success).toBe(false)
    expect((await call('reset_password', 'twice', from)).success).toBe(false)
    expect((await call('register', 'twice', { address: '192.0.2.10' })).success).toBe(false)
    expect((await call('register', 'another', from)).success).toBe(false)
    expect((await call('register', 'twice', from)).success).toBe(true)
    expect((await call('register', 'twice', from)).success).toBe(false)
  })

  test('one passed for a code five minutes ago is verified again', async () => {
    const from = { address: '192.0.2.11' }
    expect((await call('verification', 'late', from)).success).toBe(true)
    turnstile.route(PATH, USED)
    plane.clock.now += 5 * 60 * 1000
    expect((await call('register', 'late', from)).success).toBe(false)
  })

  test('one refused for a code stays refused for the registration', async () => {
    const from = { address: '192.0.2.12' }
    turnstile.route(PATH, USED)
    expect((await call('verification', 'bad', from)).success).toBe(false)
    expect((await call('register', 'bad', from)).success).toBe(false)
  })

  test.each([
    ['says nothing of use', { body: 'x' }],
    ['answers an array', { body: '[]' }],
    ['answers a text for a verdict', { body: '{"success":"true"}' }],
    ['fails', { status: 500, body: { error: 'x' } }],
    ['does not know us', { body: { success: false, 'error-codes': ['invalid-input-secret'] } }],
    ['sends elsewhere', { status: 302, headers: { location: '/' } }],
  ])('if Turnstile %s, every call is refused, and the log says so', async (_, route) => {
    turnstile.route(PATH, route)
    const before = await stored()
    const lines = plane.logLines.length
    for (const name of CALLS) {
      const answer = await call(name, 'a response')
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toBe(
        'Turnstile cannot be reached at the moment. Try again in a minute.',
      )
    }
    const said = plane.logLines.slice(lines).filter((line) => line.includes('Turnstile'))
    expect(said).toHaveLength(3)
    expect(said.join('')).not.toContain(SECRET)
    expect(await stored()).toEqual(before)
  })

  test('an overlong response is refused', async () => {
    const answer = await call('register', 'x'.repeat(4097))
    expect(answer.message).toMatch(/"turnstile".*4096/)
    expect(turnstile.requests).toEqual([])
  })

  test('login is not checked, and pages may load the widget only while it is on', async () => {
    const body = { username: 'nobody', password: 'x' }
    const login = await plane.call('POST', '/api/user/login', { body })
    expect(login.message).toMatch(/Wrong username/)
    expect(turnstile.requests).toEqual([])
    const policy = String(login.headers['content-security-policy'])
    expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;")
    expect(policy).toContain("frame-src 'self' https://challenges.cloudflare.com;")
    await plane.setOption('TurnstileCheckEnabled', 'false')
    const { headers } = await plane.call('GET', '/api/status')
    expect(String(headers['content-security-policy'])).not.toContain('cloudflare')
    expect((await call('register', null)).success).toBe(true)
    await plane.setOption('TurnstileCheckEnabled', 'true')
  })
})
