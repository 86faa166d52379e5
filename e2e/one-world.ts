import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { openWorld, type World } from './world.ts'

/** One server and one browser for all tests of a file; `prepare` puts into it what they begin with. */
export function openOneWorld(prepare: (world: World) => Promise<void>) {
  let browser: Browser | undefined
  let world: World | undefined

  beforeAll(async () => {
    browser = await chromium.connect(inject('browserAddress'))
    world = await openWorld(browser)
    await prepare(world)
  })

  afterAll(async () => {
    await world?.close()
    await browser?.close()
  })
}
