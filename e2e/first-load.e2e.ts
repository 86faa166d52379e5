import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openOneWorld } from './one-world.ts'
import { PAGES } from './pages.ts'
import { heading, signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { World } from './world.ts'

/** Texts of the operator and sites in a frame are one small chunk together. */
const CONTENT = ['/terms', '/about', '/pricing']

const LOGIN_BYTES_MAX = 200_000
const PAGE_BYTES_MAX = 100_000

let world: World

openOneWorld(async (opened) => {
  world = opened
})

test('the login page transfers less than 200 kB of JavaScript', async () => {
  const page = await world.open()
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  await page.goto('/login')
  await page.waitForLoadState('networkidle')
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(20_000)
  expect(bytes).toBeLessThan(LOGIN_BYTES_MAX)
})

type Script = { path: string; bytes: number }

/** Every script the page in view is made of, from the network or from the cache. */
const scriptsOf = (page: Page) =>
  page.evaluate<Script[]>(`
    performance.getEntriesByType('resource')
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }))
      .filter(({ path }) => path.endsWith('.js'))
  `)

test('every page is a chunk of its own, adds less than 100 kB and keeps the security policy', async () => {
  const page = await world.open({ session: await signedIn(world) })
  const ofPages: Script[][] = []
  await page.addInitScript(`addEventListener('securitypolicyviolation', ({ blockedURI, sample }) => {
    globalThis.violations = [...(globalThis.violations ?? []), blockedURI + ' ' + sample]
  })`)
  await page.goto('/login')
  await heading(page, TEXTS.en.pages.login).waitFor()
  const first = new Set((await scriptsOf(page)).map(({ path }) => path))
  const rows = PAGES.filter(({ path }) => !CONTENT.includes(path))
  for (const { path, title } of rows) {
    await page.goto(path)
    await heading(page, title(TEXTS.en)).waitFor()
    await page.waitForLoadState('networkidle')
    ofPages.push(await scriptsOf(page))
    expect(await page.evaluate('globalThis.violations'), path).toBeUndefined()
  }
  const tooLarge = rows.filter((_, index) => {
    const added = (ofPages[index] ?? []).filter((script) => !first.has(script.path))
    return added.reduce((sum, { bytes }) => sum + bytes, 0) > PAGE_BYTES_MAX
  })
  expect(tooLarge.map(({ path }) => path)).toEqual([])

  const loads = ofPages.flat().map(({ path }) => path)
  const isAlone = (script: string) => loads.filter((other) => other === script).length === 1
  const shared = rows.filter((_, index) => !ofPages[index]?.some(({ path }) => isAlone(path)))
  expect(shared).toEqual([])
})
