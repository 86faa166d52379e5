import { setTimeout as pause } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'

const POLL_MS = 30
const POLLS_QUIET = 3
const DEADLINE_MS = 30_000

const underWay = new WeakMap<Page, Set<Request>>()

/** Tracks the page's requests for `settled`. */
export function watchTraffic(page: Page) {
  const requests = new Set<Request>()
  underWay.set(page, requests)
  page.on('request', (request) => requests.add(request))
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
}

/**
 * Waits until the page has no open requests and shows nothing as loading, in several polls in a
 * row. Each poll is queued behind the page's current work.
 */
export async function settled(page: Page) {
  const deadline = performance.now() + DEADLINE_MS
  for (let quiet = 0; quiet < POLLS_QUIET;) {
    if (performance.now() > deadline) throw new Error(`${page.url()} did not come to rest`)
    await pause(POLL_MS)
    quiet = (await isQuiet(page)) ? quiet + 1 : 0
  }
}

const isQuiet = async (page: Page) =>
  (await page.evaluate<boolean>('document.querySelector("[aria-busy=true]") === null')) &&
  underWay.get(page)?.size === 0
