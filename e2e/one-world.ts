import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { sharedBrowser } from './browser.ts'
import { openWorld, type World } from './world.ts'

type Prepare<W> = (world: W) => Promise<void>

/** One server for all tests of a file; `prepare` fills in the initial data. */
export const openOneWorld = (prepare: Prepare<World>) => openOneOf(openWorld, prepare)

/** The same for worlds that have more than a server. */
export function openOneOf<W extends Pick<World, 'close'>>(
  open: (browser: Browser) => Promise<W>,
  prepare: Prepare<W>,
) {
  let world: W | undefined

  beforeAll(async () => {
    world = await open(await sharedBrowser())
    await prepare(world)
  })

  afterAll(() => world?.close())
}
