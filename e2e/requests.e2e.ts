import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { FRAME_TEXTS } from './frame-texts.ts'
import { openOneWorld } from './one-world.ts'
import { addEdited, type PageRow, PAGES } from './pages.ts'
import { sharePage } from './shared-page.ts'
import { heading, signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'
import type { Session, World } from './world.ts'

const CALLS_MAX = 2
/** Pages of administrators that show further tables, each with its own call. */
const MORE_CALLS: Readonly<Record<string, number>> = {
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

const IDLE_MS = 60_000
const EVERY_PAGE = new Set(['/api/status', '/api/user/self'])
/** Called only for root: unconfirmed changes, the bell, and what a configuration file manages. */
const FOR_ROOT = new Set(['/api/option/unconfirmed', '/api/alert/', '/api/option/managed'])
const ALICE = { username: 'alice', password: 'alice is here' }

let world: World
let alice: Session
let root: Session

openOneWorld(async (opened) => {
  world = opened
  await addEdited(world)
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
  root = await signedIn(world)
  alice = await signedIn(world, ALICE)
})

/** Every call of the page, as `path?query`. */
function watchCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(pathname + search)
  })
  return calls
}

const repeated = (calls: string[]) => calls.filter((call, index) => calls.indexOf(call) !== index)

/** Calls of a page without those that every page makes. */
const ownCalls = (calls: string[], name: string) =>
  calls.filter((call) => !EVERY_PAGE.has(call) && (name !== 'root' || !FOR_ROOT.has(call)))

const VISITS = PAGES.filter(({ asksAgain }) => !asksAgain).flatMap((row) => {
  const other = row.access === 'anyone' ? 'nobody' : 'alice'
  const who = row.access === 'admin' ? (['root'] as const) : ([other, 'root'] as const)
  return who.map((name) => ({ ...row, name }))
})

const pageOf = (session: () => Session | undefined) =>
  sharePage(async () => {
    const given = session()
    const page = await world.open(given && { session: given })
    // The first-steps checklist makes more calls until it is dismissed.
    await page.addInitScript("localStorage.setItem('prompt-first-steps', 'true')")
    await page.clock.install()
    return page
  })

const PEOPLE = {
  nobody: pageOf(() => undefined),
  alice: pageOf(() => alice),
  root: pageOf(() => root),
}

async function openAs(name: keyof typeof PEOPLE, { path, title }: PageRow) {
  const { page } = await PEOPLE[name]()
  const calls = watchCalls(page)
  await page.goto(path)
  await heading(page, title(TEXTS.en)).waitFor()
  await settled(page)
  return { page, calls }
}

test.each(VISITS)('$path makes no more requests than needed for $name', async (row) => {
  const { page, calls } = await openAs(row.name, row)
  // On a busy machine a call may start after the page seemed to be at rest.
  await page.clock.runFor(IDLE_MS)
  await settled(page)
  expect(ownCalls(calls, row.name).slice(callsMax(row.path, row.name))).toEqual([])
  expect(repeated(calls)).toEqual([])

  calls.length = 0
  await page.clock.runFor(IDLE_MS)
  await settled(page)
  expect(calls).toEqual([])

  await lookAgain(page)
  expect(repeated(calls)).toEqual([])
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
])('%s makes no further request while it shows the first steps', async (path, name) => {
  const page = await world.open({ session: root })
  const calls = watchCalls(page)
  await page.goto(path)
  await page.getByRole('region', { name }).waitFor()
  await settled(page)
  expect(ownCalls(calls, 'root').slice(callsMax(path, 'root'))).toEqual([])
  expect(repeated(calls)).toEqual([])
  await page.context().close()
})

test('the dashboard asks for costs once, also if the usage arrives last', async () => {
  const page = await world.open({ session: root })
  const calls = watchCalls(page)
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
  await page.goto('/dashboard')
  await page.waitForResponse(/\/api\/stat\/costs/)
  await settled(page)
  expect(repeated(calls)).toEqual([])
  await page.context().close()
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
