import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { openOneWorld } from './one-world.ts'
import { addEdited, type PageRow, PAGES } from './pages.ts'
import { heading, signedIn, signIn } from './steps.ts'
import { TEXTS } from './texts.ts'
import type { Session, World } from './world.ts'

const CALLS_MAX = 2
const IDLE_MS = 60_000
const EVERY_PAGE = new Set(['/api/status', '/api/user/self'])
const ALICE = { username: 'alice', password: 'alice is here' }

let world: World
let alice: Session
let root: Session

openOneWorld(async (opened) => {
  world = opened
  await addEdited(world)
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
  root = await signedIn(world)
  const page = await world.open()
  await signIn(page, TEXTS.en, ALICE)
  alice = await page.context().storageState()
  await page.context().close()
})

/** Every call the page makes, as `path?query`. */
function watchCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(pathname + search)
  })
  return calls
}

const repeated = (calls: string[]) => calls.filter((call, index) => calls.indexOf(call) !== index)

const VISITS = PAGES.flatMap((row) => {
  const who = [row.access === 'anyone' ? 'nobody' : 'alice', 'root']
  return (row.access === 'admin' ? ['root'] : who).map((name) => ({ ...row, name }))
})

async function openAs(name: string, { path, title }: PageRow) {
  const session = { nobody: undefined, alice, root }[name]
  const page = await world.open(session && { session })
  // The checklist of the first start asks for more, until it is put away.
  await page.addInitScript("localStorage.setItem('prompt-first-steps', 'true')")
  await page.clock.install()
  const calls = watchCalls(page)
  await page.goto(path)
  await heading(page, title(TEXTS.en)).waitFor()
  await page.waitForLoadState('networkidle')
  return { page, calls }
}

test.concurrent.for(VISITS)('$path asks $name no more than it needs', async (row, { expect }) => {
  const { page, calls } = await openAs(row.name, row)
  expect(calls.filter((call) => !EVERY_PAGE.has(call)).slice(CALLS_MAX)).toEqual([])
  expect(repeated(calls)).toEqual([])

  calls.length = 0
  await page.clock.runFor(IDLE_MS)
  await page.waitForLoadState('networkidle')
  expect(calls).toEqual([])

  await lookAgain(page)
  expect(repeated(calls)).toEqual([])
  await page.context().close()
})

/** What a browser tells a page whose tab is chosen again. */
async function lookAgain(page: Page) {
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await page.clock.runFor(1000)
  await page.waitForLoadState('networkidle')
}

test('a list is read again, once, when its tab is chosen after a while', async () => {
  const list: PageRow = { path: '/token', title: ({ pages }) => pages.tokens, access: 'user' }
  const { page, calls } = await openAs('alice', list)
  calls.length = 0
  await lookAgain(page)
  expect(calls).toEqual([])
  await page.clock.runFor(IDLE_MS)
  await lookAgain(page)
  // The version is asked for after a minute, which a slow machine takes.
  expect(calls.filter((call) => !EVERY_PAGE.has(call))).toEqual([
    '/api/token/?p=0&size=50&order=desc',
  ])
})
