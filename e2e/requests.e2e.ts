import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { earlyCallsOf } from '../console/src/start/early-calls.ts'
import { FRAME_TEXTS } from './frame-texts.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { addEdited, type PageRow, PAGES } from './pages.ts'
import { sharePage } from './shared-page.ts'
import { heading, watchQueries } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'
import type { Session } from './world.ts'

const CALLS_MAX = 2
/** Pages of administrators that show further tables, each with its own call. */
const MORE_CALLS: Readonly<Record<string, number>> = {
  // The models, the channels by health, and what today costs and earns.
  '/': 4,
  // The user, the usage and the tokens.
  '/user/1': 3,
  '/channel': 4,
  '/channel/1': 3,
  // The channel of a request can be chosen.
  '/play': 3,
  '/dashboard': 7,
  '/bill': 3,
  '/setting/prices': 4,
}

/** Rows, their sum, and their counts by value. */
const LOG_CALLS = 3

function callsMax(path: string, who: string): number {
  if (path === '/log') return LOG_CALLS
  return who === 'root' ? (MORE_CALLS[path] ?? CALLS_MAX) : CALLS_MAX
}

/**
 * Pages that share a chunk: the operator's texts and framed sites, and the two uses of each form.
 */
const TOGETHER = [
  ['/terms', '/about', '/pricing', '/docs', '/cheap', '/chat'],
  ['/channel/add', '/channel/edit/1'],
  ['/token/add', '/token/edit/1'],
  ['/redemption/add', '/redemption/edit/1'],
]

/** JavaScript that a page loads until it is at rest, compressed by Brotli. */
const PAGE_BYTES_MIN = 20_000
const PAGE_BYTES_MAX = 250_000
const LOGIN_BYTES_MAX = 120_000
const FILES_MAX = 15

const IDLE_MS = 60_000
/** In pixels: the smallest tap target. */
const THUMB = 44
const EVERY_PAGE = new Set(['/api/status', '/api/user/self'])
/** Called only for root: unconfirmed changes, the bell, and what a configuration file manages. */
const FOR_ROOT = new Set(['/api/option/unconfirmed', '/api/alert/', '/api/option/managed'])
const ALICE = { username: 'alice', password: 'alice is here' }

const world = openOneWorld(async () => {
  await addEdited(world)
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
})
const root = sessionOf(world)
const alice = sessionOf(world, ALICE)

const repeated = (calls: string[]) => calls.filter((call, index) => calls.indexOf(call) !== index)

const pathOf = (call: string) => call.split('?')[0]

/** Early calls that served nobody, because the page asked for their endpoint once more. */
function wastedCalls(calls: string[], path: string, who: Parameters<typeof earlyCallsOf>[1]) {
  const early = earlyCallsOf(path, who, 0)
  const times = (call: string, all: string[]) =>
    all.filter((other) => pathOf(other) === pathOf(call)).length
  return early.filter((call) => times(call, calls) !== times(call, early))
}

/** Calls of a page without those that every page makes. */
const ownCalls = (calls: string[], name: string) =>
  calls.filter((call) => !EVERY_PAGE.has(call) && (name !== 'root' || !FOR_ROOT.has(call)))

/** Pages for anyone are the same for root, but for those that read. */
function visitorsOf({ path, access, reads }: PageRow) {
  if (access === 'user') return ['alice', 'root'] as const
  if (access === 'admin') return ['root'] as const
  return path === '/' || reads ? (['nobody', 'root'] as const) : (['nobody'] as const)
}

const VISITS = PAGES.filter(({ asksAgain }) => !asksAgain).flatMap((row) =>
  visitorsOf(row).map((name) => ({ ...row, name })),
)

/** Scripts of the document, from the network or the cache, and what its policy has forbidden. */
const WATCH_LOADING = `
  globalThis.scripts = []
  new PerformanceObserver((list) => {
    for (const { name, encodedBodySize } of list.getEntries()) {
      const path = new URL(name).pathname
      if (path.endsWith('.js')) scripts.push({ path, bytes: encodedBodySize })
    }
  }).observe({ type: 'resource', buffered: true })
  globalThis.violations = []
  addEventListener('securitypolicyviolation', ({ blockedURI, sample }) => {
    violations.push(blockedURI + ' ' + sample)
  })
`

const pageOf = (session: () => Session | undefined) =>
  sharePage(async () => {
    const given = session()
    const page = await world.open(given && { session: given })
    // The first-steps checklist makes more calls until it is dismissed.
    await page.addInitScript("localStorage.setItem('prompt-first-steps', 'true')")
    await page.addInitScript(WATCH_LOADING)
    await page.clock.install()
    return page
  })

const PEOPLE = {
  nobody: pageOf(() => undefined),
  alice: pageOf(() => alice),
  root: pageOf(() => root),
}

type Script = { path: string; bytes: number }

function weightOf(scripts: readonly Script[]) {
  const paths = new Set(scripts.map(({ path }) => path))
  return { files: paths.size, bytes: scripts.reduce((sum, { bytes }) => sum + bytes, 0) }
}

type Weight = ReturnType<typeof weightOf>

const isInBounds = ({ files, bytes }: Weight, most: number) =>
  files <= FILES_MAX && bytes >= PAGE_BYTES_MIN && bytes <= most

/** What each page has loaded, for root if root has opened it. */
const scriptsOf = new Map<string, Script[]>()

async function openAs(name: keyof typeof PEOPLE, { path, title }: PageRow) {
  const { page } = await PEOPLE[name]()
  const calls = watchQueries(page)
  // Earlier visits have put the clock forward, and requests for recent rows name the time.
  await page.clock.setSystemTime(Date.now())
  await page.goto(path)
  await heading(page, title(TEXTS.en)).waitFor()
  await settled(page)
  scriptsOf.set(path, await page.evaluate<Script[]>('scripts'))
  expect(await page.evaluate('violations')).toEqual([])
  return { page, calls }
}

test.each(VISITS)(
  '$path obeys the policy and makes no more requests than needed for $name',
  async (row) => {
    const { page, calls } = await openAs(row.name, row)
    // On a busy machine a call may start after the page seemed to be at rest.
    await page.clock.runFor(IDLE_MS)
    await settled(page)
    expect(ownCalls(calls, row.name).slice(callsMax(row.path, row.name))).toEqual([])
    expect(repeated(calls)).toEqual([])
    if (row.name !== 'nobody') {
      const who = row.name === 'root' ? 'admin' : 'user'
      expect(wastedCalls(calls, row.path, who)).toEqual([])
    }

    calls.length = 0
    await page.clock.runFor(IDLE_MS)
    await settled(page)
    expect(calls).toEqual([])

    await lookAgain(page)
    expect(repeated(calls)).toEqual([])
  },
)

test('every page is its own chunk and loads at most 250 kB of JavaScript in 15 files', async () => {
  for (const row of PAGES) if (!scriptsOf.has(row.path)) await openAs('root', row)
  const weights = PAGES.map(({ path }) => ({ path, ...weightOf(scriptsOf.get(path) ?? []) }))
  expect(weights.filter((weight) => !isInBounds(weight, PAGE_BYTES_MAX))).toEqual([])

  const pagesWith = (script: string) =>
    PAGES.filter((page) => scriptsOf.get(page.path)?.some(({ path }) => path === script))
  const shared = PAGES.filter(({ path }) => {
    const family = TOGETHER.find((paths) => paths.includes(path)) ?? [path]
    const isOwn = (script: Script) =>
      pagesWith(script.path).every((row) => family.includes(row.path))
    return !scriptsOf.get(path)?.some(isOwn)
  })
  expect(shared.map(({ path }) => path)).toEqual([])
})

test('the login page loads at most 120 kB of JavaScript', async () => {
  const login: PageRow = { path: '/login', title: ({ pages }) => pages.login, access: 'anyone' }
  const { page } = await openAs('nobody', login)
  const weight = weightOf(await page.evaluate<Script[]>('scripts'))
  expect(weight).toSatisfy((given: Weight) => isInBounds(given, LOGIN_BYTES_MAX))
})

/** Simulates a return to the page's tab. */
async function lookAgain(page: Page) {
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await page.clock.runFor(1000)
  await settled(page)
}

test.each([
  ['/', 'Get your first answer'],
  ['/channel', FRAME_TEXTS.en.firstSteps],
  ['/token', FRAME_TEXTS.en.firstSteps],
])('%s shows the first steps on a phone within the same bounds', async (path, name) => {
  const page = await world.open({ session: root, isPhone: true })
  await page.addInitScript(WATCH_LOADING)
  const calls = watchQueries(page)
  await page.goto(path)
  const steps = page.getByRole('region', { name })
  await steps.waitFor()
  await settled(page)
  for (const link of await steps.getByRole('link').all()) {
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB)
  }
  expect(ownCalls(calls, 'root').slice(callsMax(path, 'root'))).toEqual([])
  expect(repeated(calls)).toEqual([])
  // The steps themselves ask for the newest channel.
  const first = calls.filter((call) => !call.includes('sort=response_time'))
  expect(wastedCalls(first, path, 'newcomer')).toEqual([])
  const weight = weightOf(await page.evaluate<Script[]>('scripts'))
  expect(weight).toSatisfy((given: Weight) => isInBounds(given, PAGE_BYTES_MAX))
})

test('a framed site as the start page asks for no first steps', async () => {
  await world.setOption('HomePageContent', 'https://site.example/')
  const page = await world.open({ session: root })
  await page.route('https://site.example/**', (route) => route.abort())
  await page.goto('/')
  await page.locator('iframe').waitFor()
  const calls = watchQueries(page)
  await page.reload()
  await page.locator('iframe').waitFor()
  await settled(page)
  const early = earlyCallsOf('/', 'newcomer', 0)
  expect(calls.filter((call) => early.includes(call))).toEqual([])
  await world.setOption('HomePageContent', '')
})

test('the dashboard asks for costs once, also if the usage arrives last', async () => {
  const page = await world.open({ session: root })
  const calls = watchQueries(page)
  const channels = page.waitForResponse(/\/api\/stat\/channels/)
  await page.route(/\/api\/stat\/\?/, async (route) => {
    await channels
    await pause(200)
    await route.continue()
  })
  await page.route(/\/api\/stat\/costs/, async (route) => {
    await pause(400)
    await route.continue()
  })
  const costs = page.waitForResponse(/\/api\/stat\/costs/)
  await page.goto('/dashboard')
  await costs
  await settled(page)
  expect(repeated(calls)).toEqual([])
})

test('a list is reloaded, once, when its tab is opened again after a while', async () => {
  const list: PageRow = { path: '/token', title: ({ pages }) => pages.tokens, access: 'user' }
  const { page, calls } = await openAs('alice', list)
  calls.length = 0
  await lookAgain(page)
  expect(calls).toEqual([])
  await page.clock.runFor(IDLE_MS)
  await lookAgain(page)
  // The version check comes after a minute, which a slow machine may reach.
  expect(ownCalls(calls, 'alice')).toEqual(['/api/token/?p=0&size=50&order=desc'])
})
