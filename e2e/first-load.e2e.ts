import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { heading, signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'
import { openWorld, type World } from './world.ts'

const LOGIN_BYTES_MAX = 200_000

const { pages } = TEXTS.en

const PAGES = [
  ['/', pages.home],
  ['/login', pages.login],
  ['/channel', pages.channels],
  ['/channel/add', pages.channelForm],
  ['/token', pages.tokens],
  ['/token/add', pages.tokenForm],
  ['/user', pages.users],
  ['/user/add', pages.userAdd],
  ['/user/edit', pages.account],
  ['/user/edit/1', pages.rootEdit],
  ['/log', pages.logs],
  ['/setting', pages.settings],
  ['/setting/operation', pages.settings],
  ['/setting/system', pages.settings],
  ['/setting/other', pages.settings],
  ['/register', pages.register],
  ['/reset', pages.reset],
  ['/redemption', pages.redemptions],
  ['/redemption/add', pages.redemptionForm],
  ['/topup', pages.topUp],
  ['/partnerplan', pages.partnerPlan],
] as const

let browser: Browser
let world: World

beforeAll(async () => {
  browser = await chromium.connect(inject('browserAddress'))
  world = await openWorld(browser)
})

afterAll(async () => {
  await world.close()
  await browser.close()
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

/** Every script the page in view is made of, from the network or from the cache. */
const scriptsOf = (page: Page) =>
  page.evaluate<string[]>(`
    performance.getEntriesByType('resource')
      .map((entry) => new URL(entry.name).pathname)
      .filter((path) => path.endsWith('.js'))
  `)

test('every page is a chunk of its own', async () => {
  const page = await world.open({ session: await signedIn(world) })
  const ofPages: string[][] = []
  for (const [path, title] of PAGES) {
    await page.goto(path)
    await heading(page, title).waitFor()
    ofPages.push(await scriptsOf(page))
  }
  const loads = ofPages.flat()
  const isAlone = (script: string) => loads.filter((other) => other === script).length === 1
  const shared = PAGES.filter((_, index) => !ofPages[index]?.some(isAlone))
  expect(shared).toEqual([])
})
