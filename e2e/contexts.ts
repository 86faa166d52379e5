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
  options: Options
  addScript: Page['addInitScript']
  /** The script that the world has added, if any. */
  added?: { dispose: () => Promise<void> } | undefined
  /** Whether a test has failed, or added a script or a debugger, which would stay. */
  isChanged: boolean
}

/** Each holds a process. */
const IDLE_MAX = 6

/** The blank pages of a browser, the oldest first. */
const idleOf = new WeakMap<Browser, Reusable[]>()

/**
 * The contexts of a world, with a page each. A page serves further tests, also of later files if
 * their server has the same address, because a new page takes three times the CPU time of a page
 * that goes to another address. Each test gets its page blank, without cookies and stored values.
 */
export class Contexts {
  readonly #browser: Browser
  readonly #used = new Set<Reusable>()

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** `script` runs in each document of the page. */
  async openPage(options: Options, script?: string): Promise<Page> {
    const reusable = this.#takeIdle(options) ?? (await this.#create(options))
    const { page, context, addScript } = reusable
    this.#used.add(reusable)
    if (script !== undefined) reusable.added = await addScript(script)
    whenTestEnds(async (hasPassed) => {
      if (!hasPassed) reusable.isChanged = true
      else if (this.#used.has(reusable) && !kept.has(context)) await this.#release(reusable)
    })
    return page
  }

  async close() {
    for (const reusable of this.#used) await this.#release(reusable)
  }

  #takeIdle(options: Options): Reusable | undefined {
    const idle = idleOf.get(this.#browser) ?? []
    const wanted = JSON.stringify(options)
    const index = idle.findLastIndex((reusable) => JSON.stringify(reusable.options) === wanted)
    return index === -1 ? undefined : idle.splice(index, 1)[0]
  }

  /** Keeps the page for others, or closes it if something of the test would stay. */
  async #release(reusable: Reusable) {
    const { context } = reusable
    this.#used.delete(reusable)
    kept.delete(context)
    await reusable.added?.dispose()
    reusable.added = undefined
    if (!(await isReset(reusable))) return context.close()
    const idle = idleOf.get(this.#browser) ?? []
    idleOf.set(this.#browser, idle)
    idle.push(reusable)
    if (idle.length > IDLE_MAX) await idle.shift()?.context.close()
  }

  async #create(options: Options): Promise<Reusable> {
    const context = await this.#browser.newContext(options)
    const page = await context.newPage()
    const addScript = page.addInitScript.bind(page)
    const attach = context.newCDPSession.bind(context)
    const reusable: Reusable = { context, page, options, addScript, isChanged: false }
    context.once('close', () => this.#used.delete(reusable))
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
function whenTestEnds(run: (hasPassed: boolean) => Promise<void>) {
  try {
    onTestFinished(({ task }) => run(task.result?.state !== 'fail'))
  } catch {
    // No test is running.
  }
}

/**
 * Leads a page to an image and empties it. False if something of the test would stay, such as a
 * replaced clock.
 */
async function isReset({ context, page, options, isChanged }: Reusable): Promise<boolean> {
  const { origin } = new URL(options.baseURL)
  try {
    if (isChanged || new URL(page.url()).origin !== origin) return false
    if (await page.evaluate<boolean>('"__pwClock" in globalThis')) return false
    const others = context.pages().filter((other) => other !== page)
    await Promise.all(others.map((other) => other.close()))
    for (const event of EVENTS) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
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
