import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser } from './browser.ts'
import { openWorld, type World } from './world.ts'

/** One server and one browser for all tests of a file; `prepare` fills in the initial data. */
export function openOneWorld(prepare: (world: World) => Promise<void>) {
  let browser: Browser | undefined
  let world: World | undefined

  beforeAll(async () => {
    browser = await launchBrowser()
    world = await openWorld(browser)
    await prepare(world)
  })

  afterAll(async () => {
    await world?.close()
    await browser?.close()
  })
}
