import type { Page } from 'playwright-core'
import { afterEach } from 'vitest'
import { keepPage } from './contexts.ts'
import { releaseAll } from './intercept.ts'
import type { Session } from './world.ts'

export type SharedPage = {
  page: Page
  /** Uncaught errors, and console errors and warnings, since the test got the page. */
  thrown: string[]
  logged: string[]
}

type Kept = SharedPage & { session: Session }

type Sharing = {
  /** Keeps routes, storage and cookies, for tests that leave the console loaded. */
  staysLoaded?: boolean
}

/**
 * A page that consecutive tests share: navigating costs a fifth of a new context. Each test gets
 * the page in its initial state. A page on which a test failed is not used again.
 */
export function sharePage(
  open: () => Promise<Page>,
  { staysLoaded = false }: Sharing = {},
): () => Promise<SharedPage> {
  let kept: Kept | undefined

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return
    await kept?.page.context().close()
    kept = undefined
  })

  return async () => {
    if (!kept) kept = await watch(await open())
    else if (!staysLoaded) await forget(kept)
    kept.thrown.length = 0
    kept.logged.length = 0
    return kept
  }
}

async function watch(page: Page): Promise<Kept> {
  keepPage(page)
  const session = await page.context().storageState()
  const kept: Kept = { page, session, thrown: [], logged: [] }
  page.on('pageerror', ({ message }) => kept.thrown.push(message))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') kept.logged.push(line.text())
  })
  return kept
}

/** Resets routes, storage and cookies. */
async function forget({ page, session }: Kept) {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await releaseAll(page)
  const stored = session.origins.flatMap(({ localStorage }) => localStorage)
  // Clears the storage in place. A second page would cost as much as a new context, and would send
  // storage events to this page.
  await page.evaluate(`
    sessionStorage.clear()
    localStorage.clear()
    for (const { name, value } of ${JSON.stringify(stored)}) localStorage.setItem(name, value)
  `)
  await page.context().clearCookies()
  await page.context().addCookies(session.cookies)
}
