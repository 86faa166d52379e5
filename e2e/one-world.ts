import type { Browser } from 'playwright-core'
import { beforeAll } from 'vitest'
import { openOnce } from '../server/testing/harness/open-once.ts'
import { sharedBrowser } from './browser.ts'
import { ROOT, signedIn } from './steps.ts'
import { openWorld, type Session, type World } from './world.ts'

type Prepare = () => Promise<void>

/** One server for all tests of a file, as in `openOnce`; `prepare` fills in the initial data. */
export const openOneWorld = (prepare?: Prepare): World => openOneOf(openWorld, prepare)

/** The same for worlds that have more than a server. */
export function openOneOf<W extends Pick<World, 'close'>>(
  open: (browser: Browser) => Promise<W>,
  prepare?: Prepare,
): W {
  const world = openOnce(async () => open(await sharedBrowser()))
  if (prepare) beforeAll(prepare)
  return world
}

/** The session of a user of the prepared world, empty until the hook runs. */
export function sessionOf(world: Pick<World, 'server'>, credentials = ROOT): Session {
  const session: Session = { cookies: [], origins: [] }
  beforeAll(async () => {
    Object.assign(session, await signedIn(world, credentials))
  })
  return session
}
