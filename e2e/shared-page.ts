import type { Page } from 'playwright-core'
import { afterEach } from 'vitest'
import type { Session } from './world.ts'

export type SharedPage = {
  page: Page
  /** What the page threw, and what it wrote to the console as an error or a warning, since it was asked for. */
  thrown: string[]
  logged: string[]
}

type Kept = SharedPage & { session: Session }

/**
 * A page for tests that run one after the other: loading another path costs a fifth of what a new
 * context does. Each test finds it as it was opened, and one on which a test failed is not used again.
 */
export function sharePage(open: () => Promise<Page>): () => Promise<SharedPage> {
  let kept: Kept | undefined

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return
    await kept?.page.context().close()
    kept = undefined
  })

  return async () => {
    if (kept) await forget(kept)
    else kept = await watch(await open())
    return kept
  }
}

async function watch(page: Page): Promise<Kept> {
  const session = await page.context().storageState()
  const kept: Kept = { page, session, thrown: [], logged: [] }
  page.on('pageerror', ({ message }) => kept.thrown.push(message))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') kept.logged.push(line.text())
  })
  return kept
}

/** What the test before left: routes, storage, who is signed in. */
async function forget({ page, session, thrown, logged }: Kept) {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const stored = session.origins.flatMap(({ localStorage }) => localStorage)
  // Another page to do it from would cost as much as a new context, and be told of by storage events.
  await page.evaluate(`
    sessionStorage.clear()
    localStorage.clear()
    for (const { name, value } of ${JSON.stringify(stored)}) localStorage.setItem(name, value)
  `)
  await page.context().clearCookies()
  await page.context().addCookies(session.cookies)
  thrown.length = 0
  logged.length = 0
}
