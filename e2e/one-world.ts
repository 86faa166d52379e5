import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { sharedBrowser } from './browser.ts'
import { ROOT, signedIn } from './steps.ts'
import { openWorld, type Session, type World } from './world.ts'

type Prepare<W> = (world: W) => Promise<void>

/**
 * One server for all tests of a file; `prepare` fills in the initial data. The world is empty until
 * the first hook runs.
 */
export const openOneWorld = (prepare?: Prepare<World>) => openOneOf(openWorld, prepare)

/** The same for worlds that have more than a server. */
export function openOneOf<W extends Pick<World, 'close'>>(
  open: (browser: Browser) => Promise<W>,
  prepare?: Prepare<W>,
): W {
  const world: Partial<W> = {}

  beforeAll(async () => {
    Object.assign(world, await open(await sharedBrowser()))
    await prepare?.(filled())
  })

  afterAll(() => world.close?.())

  // Safe because no test runs before the hook has filled the object.
  const filled = () => world as W
  return filled()
}

/** The session of a user of the prepared world, empty until the hook runs. */
export function sessionOf(world: Pick<World, 'server'>, credentials = ROOT): Session {
  const session: Session = { cookies: [], origins: [] }
  beforeAll(async () => {
    Object.assign(session, await signedIn(world, credentials))
  })
  return session
}
