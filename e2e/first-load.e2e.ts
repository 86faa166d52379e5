import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openOneWorld, sessionOf } from './one-world.ts'
import { addEdited, PAGES } from './pages.ts'
import { fillWorld } from './realistic-world.ts'
import { heading } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

/** Google's limit of a good page is 0.1. */
const SHIFT_MAX = 0.05
const PHONE = { width: 412, height: 823 }

const world = openOneWorld(async () => {
  await addEdited(world)
  await fillWorld(world, { hurried: true })
})
const root = sessionOf(world)

const PRELOAD = /<link rel="modulepreload"[^>]* href="([^"]+)"/g

async function preloadsOf(path: string, cookie = ''): Promise<string[]> {
  const response = await fetch(world.server.url + path, { headers: { cookie } })
  return [...(await response.text()).matchAll(PRELOAD)].map(([, href = '']) => href)
}

/** What the entry needs. */
let entry: string[]

beforeAll(async () => {
  entry = await preloadsOf('/no-such-page')
})

const WATCH = `
  globalThis.loaded = new Map()
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) {
      const { pathname } = new URL(name)
      if (pathname.endsWith('.js') && !loaded.has(pathname)) loaded.set(pathname, startTime)
    }
  }).observe({ type: 'resource', buffered: true })
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value
  }).observe({ type: 'layout-shift', buffered: true })
`

/** Opens as an operator who has done the first steps; the start page sees that by itself. */
async function open(path: string, title: string): Promise<Page> {
  const page = await world.open({ session: root })
  await page.setViewportSize(PHONE)
  await page.addInitScript(WATCH)
  if (path !== '/') await page.addInitScript(`localStorage.setItem('prompt-first-steps', 'true')`)
  await page.goto(path)
  await heading(page, title).waitFor()
  await settled(page)
  return page
}

const cookieOf = async (page: Page) => {
  const cookies = await page.context().cookies()
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

test('the HTML of each page names scripts that exist, beyond those of every page', async () => {
  const page = await world.open({ session: root })
  const cookie = await cookieOf(page)
  const named = new Set<string>()
  for (const { path } of PAGES) {
    const scripts = await preloadsOf(path, cookie)
    expect(scripts.slice(0, entry.length)).toEqual(entry)
    expect(scripts.length, path).toBeGreaterThan(entry.length)
    for (const script of scripts) named.add(script)
  }
  for (const script of named) {
    const response = await fetch(world.server.url + script)
    expect([script, response.status]).toEqual([script, 200])
    expect(response.headers.get('content-type')).toContain('javascript')
  }
})

test('visitors load the login in place of a page that is not for them', async () => {
  expect(await preloadsOf('/channel')).toEqual(await preloadsOf('/login'))
  expect(await preloadsOf('/channel')).not.toEqual(entry)
})

test.each([
  ['/', 'Tollgate'],
  ['/log', TEXTS.en.pages.logs],
  ['/channel', TEXTS.en.pages.channels],
  ['/channel/1', 'openai-main'],
])(
  '%s hardly moves while it loads, and needs no script but those of its HTML',
  async (path, title) => {
    const page = await open(path, title)
    expect(await page.evaluate<number>('shift')).toBeLessThan(SHIFT_MAX)

    const named = await preloadsOf(path, await cookieOf(page))
    const loaded = await page.evaluate<[string, number][]>('[...loaded]')
    const firstCall = await page.evaluate<number>(`Math.min(
    ...performance.getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.startsWith('/api/'))
      .filter(({ name }) => !name.endsWith('/api/status'))
      .map(({ startTime }) => startTime))`)
    const isStart = (script: string) => script.startsWith('/static/js/start-')
    const before = loaded.filter(([script, at]) => at < firstCall && !isStart(script))
    expect(before.map(([script]) => script).toSorted()).toEqual(named.toSorted())
  },
)

const WATCH_TITLE = `
  new MutationObserver((_, observer) => {
    if (!document.querySelector('#root main h1')) return
    globalThis.drawnAt = performance.now()
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
`

test.each([
  ['/channel', TEXTS.en.pages.channels, ['/api/channel/', '/api/channel/summary']],
  ['/log', TEXTS.en.pages.logs, ['/api/log/', '/api/log/stat', '/api/log/facets']],
  ['/token', TEXTS.en.pages.tokens, ['/api/token/']],
  ['/catalog', TEXTS.en.pages.catalog, ['/api/catalog']],
  ['/play', TEXTS.en.pages.play, ['/api/catalog', '/api/token/']],
] as const)('%s sends its requests once, before it is drawn', async (path, title, expected) => {
  const page = await world.open({ session: root })
  await page.addInitScript(WATCH_TITLE)
  await page.goto(path)
  await heading(page, title).waitFor()
  await settled(page)
  const calls = await page.evaluate<[string, number][]>(
    `performance.getEntriesByType('resource')
      .map(({ name, startTime }) => [new URL(name).pathname, startTime])`,
  )
  const drawnAt = await page.evaluate<number>('drawnAt')
  for (const call of expected) {
    const times = calls.filter(([pathname]) => pathname === call).map(([, at]) => at)
    expect(times, call).toHaveLength(1)
    expect(times[0], call).toBeLessThan(drawnAt)
  }
})

const MODULES = /\/static\/js\/(?!start-).*\.js$/

const placeOf = (page: Page) => page.locator('header img').boundingBox()

test.each([PHONE, { width: 1920, height: 1080 }])(
  'the frame is drawn before any script runs, where the header will be: %o',
  async (size) => {
    const page = await world.open()
    await page.setViewportSize(size)
    await page.route(MODULES, (route) => route.abort())
    await page.goto('/login')
    await page.getByText('Tollgate', { exact: true }).waitFor()
    const drawn = await placeOf(page)
    await page.unroute(MODULES)
    await page.reload()
    await page.getByRole('main').waitFor()
    expect(await placeOf(page)).toEqual(drawn)
  },
)

test.each([
  ['dark', 'light', 'rgb(22, 26, 28)'],
  ['light', 'dark', 'rgb(255, 255, 255)'],
  ['auto', 'dark', 'rgb(22, 26, 28)'],
] as const)(
  'with the theme %s, the first frame on a %s system is %s',
  async (theme, system, color) => {
    const page = await world.open()
    await page.emulateMedia({ colorScheme: system })
    await page.addInitScript(`localStorage.setItem('theme', '${theme}')`)
    await page.route(MODULES, (route) => route.abort())
    await page.goto('/login')
    const colorOf = `getComputedStyle(document.querySelector('.boot')).backgroundColor`
    expect(await page.evaluate(colorOf)).toBe(color)
  },
)

test('a frame whose scripts are lost offers to reload the page', async () => {
  const page = await world.open()
  await page.route(MODULES, (route) => route.abort())
  const early = page.waitForRequest('**/api/status')
  await page.goto('/login')
  await page.getByRole('alert').getByText('The console did not load.').waitFor()
  // The status is asked for before the console's code has been loaded.
  await early
  await page.unroute(MODULES)
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByLabel(TEXTS.en.username).waitFor()
})

test("a first visit shows the operator's name before the status is known", async () => {
  await world.setOption('SystemName', 'Acme')
  const page = await world.open()
  await page.route('**/api/status', () => {})
  await page.goto('/login')
  await page.getByRole('main').waitFor()
  expect(await page.locator('header').getByText('Acme', { exact: true }).count()).toBe(1)
  await world.setOption('SystemName', 'Tollgate')
})
