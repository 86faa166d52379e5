import { expect, test } from 'vitest'
import { openOneOf } from './one-world.ts'
import { heading, ROOT, sendLogin } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'
import { openWorld } from './world.ts'

const world = openOneOf((browser) => openWorld(browser, { BASE_PATH: '/gate' }))

test('the console works under the path of a proxy', async () => {
  const page = await world.open()
  await page.goto('/gate/login')
  await sendLogin(page, TEXTS.en, ROOT)
  await page.waitForURL((url) => url.pathname !== '/gate/login')
  const cookies = await page.context().cookies()
  expect(cookies.find(({ name }) => name === 'session')?.path).toBe('/gate/')
  await page.goto('/gate/channel')
  await heading(page, 'Channels').waitFor()
  await settled(page)
  const outside = await page.evaluate<string[]>(`
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
      .filter((path) => !path.startsWith('/gate/'))`)
  expect(outside).toEqual([])
  await page.getByRole('link', { name: 'Tokens', exact: true }).first().click()
  await page.waitForURL((url) => url.pathname === '/gate/token')
})

test('the API answers with the path, and to a proxy that has removed it', async () => {
  const { origin } = new URL(world.server.url)
  expect(world.server.url).toBe(`${origin}/gate`)
  for (const base of [world.server.url, origin]) {
    expect((await fetch(`${base}/readyz`)).status).toBe(200)
    expect((await fetch(`${base}/api/status`)).status).toBe(200)
    const relay = await fetch(`${base}/v1/models`, { headers: { authorization: 'Bearer no' } })
    expect([relay.status, relay.headers.get('content-type')]).toEqual([
      401,
      expect.stringContaining('json'),
    ])
  }
})
