import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const kept = new WeakSet<BrowserContext>()

/** Keeps a page, and the storage and cookies of its context, when the test that opened it ends. */
export const keepPage = (page: Page) => void kept.add(page.context())

/** Events that tests listen to. */
const EVENTS = [
  'console',
  'dialog',
  'download',
  'framenavigated',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
]

/** A page of the server without scripts. The browser would drop its process for `about:blank`. */
const BLANK = '/logo.svg'

type Options = BrowserContextOptions & {
  baseURL: string
  colorScheme: 'light' | 'dark'
  viewport: { width: number; height: number }
}

type Reusable = {
  context: BrowserContext
  page: Page
  addScript: Page['addInitScript']
  /** Whether a test has added a script or a debugger, which would stay. */
  isChanged: boolean
}

/**
 * The contexts of a world, with a page each. A page serves further tests, because a new page takes
 * three times the CPU time of a page that goes to another address. Each test gets its page blank,
 * without cookies and stored values.
 */
export class Contexts {
  readonly #browser: Browser
  readonly #open = new Set<BrowserContext>()
  readonly #idle = new Map<string, Reusable[]>()

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** `script` runs in each document of the page. */
  async openPage(options: Options, script?: string): Promise<Page> {
    const idle = this.#idleOf(options)
    const reusable = idle.pop() ?? (await this.#create(options))
    const { page, context, addScript } = reusable
    const added = script === undefined ? undefined : await addScript(script)
    whenTestPasses(async () => {
      if (!this.#open.has(context) || kept.has(context)) return
      await added?.dispose()
      if (await isReset(reusable, options)) idle.push(reusable)
      else await context.close()
    })
    return page
  }

  async close() {
    await Promise.all([...this.#open].map((context) => context.close()))
  }

  #idleOf(options: Options): Reusable[] {
    const key = JSON.stringify(options)
    const idle = this.#idle.get(key) ?? []
    this.#idle.set(key, idle)
    return idle
  }

  async #create(options: Options): Promise<Reusable> {
    const context = await this.#browser.newContext(options)
    this.#open.add(context)
    context.once('close', () => this.#open.delete(context))
    const page = await context.newPage()
    const addScript = page.addInitScript.bind(page)
    const attach = context.newCDPSession.bind(context)
    const reusable = { context, page, addScript, isChanged: false }
    page.addInitScript = (...parts: Parameters<Page['addInitScript']>) => {
      reusable.isChanged = true
      return addScript(...parts)
    }
    context.newCDPSession = (target) => {
      reusable.isChanged = true
      return attach(target)
    }
    return reusable
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

/**
 * Leads a page to an image and empties it. False if something of the test would stay, such as a
 * replaced clock.
 */
async function isReset(reusable: Reusable, options: Options): Promise<boolean> {
  const { context, page, isChanged } = reusable
  const { origin } = new URL(options.baseURL)
  try {
    if (isChanged || new URL(page.url()).origin !== origin) return false
    if (await page.evaluate<boolean>('"__pwClock" in globalThis')) return false
    const others = context.pages().filter((other) => other !== page)
    await Promise.all(others.map((other) => other.close()))
    for (const event of EVENTS) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.mouse.move(0, 0)
    await page.goto(`${origin}${BLANK}`)
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.setViewportSize(options.viewport)
    await page.emulateMedia({ media: null, colorScheme: options.colorScheme })
    await context.clearCookies()
    return true
  } catch {
    // The page was closed, or its document is just being replaced.
    return false
  }
}
