import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const kept = new WeakSet<BrowserContext>()

/** Keeps a page, and the storage and cookies of its context, when the test that opened it ends. */
export const keepPage = (page: Page) => void kept.add(page.context())

/**
 * The contexts of a world. A context serves further tests, because its HTTP cache halves the CPU
 * time of the first page. Each test gets it without pages, cookies and stored values.
 */
export class Contexts {
  readonly #browser: Browser
  readonly #open = new Set<BrowserContext>()
  readonly #idle = new Map<string, BrowserContext[]>()

  constructor(browser: Browser) {
    this.#browser = browser
  }

  async openPage(options: BrowserContextOptions & { baseURL: string }): Promise<Page> {
    const idle = this.#idleOf(options)
    const known = idle.pop()
    const context = known ?? (await this.#browser.newContext(options))
    const page = await context.newPage()
    if (known === undefined) this.#track(context)
    else await clearStorage(page, options.baseURL)
    whenTestPasses(async () => {
      if (!this.#open.has(context) || kept.has(context)) return
      if (await isReusable(context)) idle.push(context)
    })
    return page
  }

  async close() {
    await Promise.all([...this.#open].map((context) => context.close()))
  }

  #idleOf(options: BrowserContextOptions): BrowserContext[] {
    const key = JSON.stringify(options)
    const idle = this.#idle.get(key) ?? []
    this.#idle.set(key, idle)
    return idle
  }

  #track(context: BrowserContext) {
    this.#open.add(context)
    context.once('close', () => this.#open.delete(context))
  }
}

/** Pages that are opened before the tests stay open. */
function whenTestPasses(run: () => Promise<void>) {
  try {
    onTestFinished(async ({ task }) => {
      if (task.result?.state !== 'fail') await run()
    })
  } catch {
    // No test is running.
  }
}

/** Closes the pages. False if a test has replaced the clock, which stays replaced. */
async function isReusable(context: BrowserContext): Promise<boolean> {
  try {
    const pages = context.pages()
    const replaced = pages.map((page) => page.evaluate<boolean>('"__pwClock" in globalThis'))
    const isReplaced = (await Promise.all(replaced)).includes(true)
    await Promise.all(pages.map((page) => page.close()))
    await context.clearCookies()
    return !isReplaced
  } catch {
    // A page that is just loading cannot be asked.
    return false
  }
}

async function clearStorage(page: Page, baseURL: string) {
  const { origin } = new URL(baseURL)
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' })
  await session.detach()
}
