import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openOneWorld } from './one-world.ts'
import { addEdited, PAGES } from './pages.ts'
import { heading, signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'
import type { World } from './world.ts'

/**
 * Pages that share a chunk: the operator's texts and framed sites, and the two uses of each form.
 */
const TOGETHER = [
  ['/terms', '/about', '/pricing', '/docs', '/cheap', '/chat'],
  ['/channel/add', '/channel/edit/1'],
  ['/token/add', '/token/edit/1'],
  ['/redemption/add', '/redemption/edit/1'],
]

const LOGIN_BYTES_MAX = 120_000
const PAGE_BYTES_MAX = 265_000

let world: World

openOneWorld(async (opened) => {
  world = opened
  await addEdited(world)
})

test('the login page transfers less than 120 kB of JavaScript', async () => {
  const page = await world.open()
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  await page.goto('/login')
  await settled(page)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(20_000)
  expect(bytes).toBeLessThan(LOGIN_BYTES_MAX)
})

type Script = { path: string; bytes: number }

/** Scripts of the current page, from the network or the cache. */
const scriptsOf = (page: Page) =>
  page.evaluate<Script[]>(`
    performance.getEntriesByType('resource')
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }))
      .filter(({ path }) => path.endsWith('.js'))
  `)

test('every page is its own chunk, loads less than 265 kB and obeys the security policy', async () => {
  const page = await world.open({ session: await signedIn(world) })
  const ofPages: Script[][] = []
  await page.addInitScript(`addEventListener('securitypolicyviolation', ({ blockedURI, sample }) => {
    globalThis.violations = [...(globalThis.violations ?? []), blockedURI + ' ' + sample]
  })`)
  for (const { path, title } of PAGES) {
    await page.goto(path)
    await heading(page, title(TEXTS.en)).waitFor()
    await settled(page)
    ofPages.push(await scriptsOf(page))
    expect(await page.evaluate('globalThis.violations'), path).toBeUndefined()
  }
  const sizes = PAGES.map(({ path }, index) => {
    const scripts = ofPages[index] ?? []
    return { path, bytes: scripts.reduce((sum, { bytes }) => sum + bytes, 0) }
  })
  expect(sizes.filter(({ bytes }) => bytes > PAGE_BYTES_MAX)).toEqual([])

  const pagesWith = (script: string) =>
    PAGES.filter((_, index) => ofPages[index]?.some(({ path }) => path === script))
  const shared = PAGES.filter(({ path }, index) => {
    const family = TOGETHER.find((paths) => paths.includes(path)) ?? [path]
    const isOwn = (script: Script) =>
      pagesWith(script.path).every((row) => family.includes(row.path))
    return !ofPages[index]?.some(isOwn)
  })
  expect(shared.map(({ path }) => path)).toEqual([])
})
