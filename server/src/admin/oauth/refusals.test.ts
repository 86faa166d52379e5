import { describe, expect, test } from 'vitest'
import { type OptionKey, ROLE } from '@tollgate/contract'
import { CLIENT } from '../../../testing/fakes/identity-servers.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'
import { openOAuthWorld, SERVER_ADDRESS } from '../../../testing/worlds/oauth-world.ts'

describeWorld(openOAuthWorld, 'refused logins', (world) => {
  test('an unknown provider is refused', async () => {
    for (const query of ['', '?provider=', '?provider=wechat', '?provider=__proto__']) {
      const answer = await world.newBrowser().get(`/api/oauth/start${query}`)
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/"provider"/)
    }
  })

  const off: [string, OptionKey, string, string][] = [
    ['github', 'GitHubOAuthEnabled', 'false', 'true'],
    ['oidc', 'OidcEnabled', 'false', 'true'],
    ['lark', 'LarkClientId', '', CLIENT.id],
  ]
  test.each(off)('%s is not offered when %s is "%s"', async (name, key, value, was) => {
    const browser = world.newBrowser()
    const { data: state } = await browser.get('/api/oauth/state')
    await world.set({ [key]: value })
    const started = await browser.get(`/api/oauth/start?provider=${name}`)
    const back = await browser.get(`/api/oauth/${name}?code=a&state=${String(state)}`)
    await world.set({ [key]: was })
    for (const answer of [started, back]) {
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/has not enabled logging in with/)
    }
  })

  test.each(off)('a return to %s without a state is 403 whatever else is wrong', async (...row) => {
    const [name, key, value, was] = row
    const root = await world.plane.addPerson(ROLE.root)
    for (const set of [was, value]) {
      await world.set({ [key]: set })
      for (const session of [undefined, root.session]) {
        for (const query of ['', '?code=a', '?state=', '?code=a&state=b']) {
          const answer = await world.newBrowser(session).get(`/api/oauth/${name}${query}`)
          expect([query, answer.status]).toEqual([query, 403])
        }
      }
    }
    await world.set({ [key]: was })
  })

  test('WeChat is not offered while it is off', async () => {
    const person = await world.plane.addPerson()
    const code = world.wechat.tellCode('wx')
    await world.set({ WeChatAuthEnabled: 'false' })
    const login = await world.newBrowser().get(`/api/oauth/wechat?code=${code}`)
    const bind = await world.newBrowser(person.session).get(`/api/oauth/wechat/bind?code=${code}`)
    await world.set({ WeChatAuthEnabled: 'true' })
    expect(login.message).toMatch(/has not enabled logging in with WeChat/)
    expect(bind.message).toBe(login.message)
  })

  test('providers with redirects need the server address', async () => {
    const browser = world.newBrowser()
    const back = await world.start(browser, 'oidc', { id: '1' })
    await world.set({ ServerAddress: '' })
    const answers = await Promise.all([
      world.newBrowser().get('/api/oauth/start?provider=oidc'),
      world.newBrowser().get('/api/oauth/start?provider=lark'),
      world.comeBack(browser, 'oidc', back),
    ])
    await world.set({ ServerAddress: SERVER_ADDRESS })
    for (const { message } of answers) expect(message).toMatch(/ServerAddress/)
  })

  test('redirects lead to the console if it has its own host', async () => {
    await world.set({ ConsoleAddress: 'https://console.example' })
    for (const name of ['oidc', 'lark']) {
      const headers = { host: 'console.example' }
      const { data } = await world.plane.call('GET', `/api/oauth/start?provider=${name}`, {
        headers,
      })
      const returnTo = new URL(String(data)).searchParams.get('redirect_uri')
      expect(returnTo).toBe(`https://console.example/oauth/${name}`)
    }
    await world.set({ ConsoleAddress: '' })
  })

  describe('too many logins', () => {
    test.each(['/api/oauth/state', '/api/oauth/github?code=a&state=b', '/api/oauth/wechat?code=a'])(
      '%s is 429 after twenty times in twenty minutes, for this address and purpose',
      async (path) => {
        const browser = world.newBrowser()
        for (let count = 0; count < 20; count++) {
          expect((await browser.get(path)).status).not.toBe(429)
        }
        const refused = await browser.get(path)
        expect(refused.status).toBe(429)
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1100)
        const other = '/api/oauth/lark?code=a&state=b'
        if (!path.includes('github')) expect((await browser.get(other)).status).toBe(403)
        expect((await world.newBrowser().get(path)).status).not.toBe(429)
        world.plane.clock.now += 20 * 60 * 1000
        expect((await browser.get(path)).status).not.toBe(429)
        world.plane.clock.now -= 20 * 60 * 1000
      },
    )

    test('successful logins do not count', async () => {
      const browser = world.newBrowser()
      for (let count = 0; count < 22; count++) {
        const code = world.wechat.tellCode('wx-often')
        expect((await browser.get(`/api/oauth/wechat?code=${code}`)).success).toBe(true)
      }
    })

    test('logins that began at another provider do not count', async () => {
      const browser = world.newBrowser()
      for (let count = 0; count < 22; count++) {
        expect((await world.signIn('github', { id: '77' }, browser)).success).toBe(true)
        browser.forget('session')
      }
    })
  })
})
