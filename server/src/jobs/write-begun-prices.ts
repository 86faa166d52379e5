import type { Logger } from 'pino'
import { ROLE } from '@tollgate/contract'
import type { Settings } from '../settings/settings.ts'
import { startPeriodic } from './periodic.ts'

export type BegunPricesDeps = {
  settings: Pick<Settings, 'planned' | 'writeBegunPrices'>
  log: Logger
  now: () => number
}

const CHECK_INTERVAL_MS = 60_000

/** Planned prices apply by the clock; this writes them into the options, where edits find them. */
export const startWritingPrices = (
  deps: BegunPricesDeps,
  { lookMs = CHECK_INTERVAL_MS } = {},
): { stop: () => Promise<void> } =>
  startPeriodic({
    run: () => writeBegunPrices(deps),
    pauseMs: lookMs,
    firstMs: lookMs,
    log: deps.log,
    failure: 'planned prices cannot be written',
  })

export async function writeBegunPrices({
  settings,
  now,
}: Pick<BegunPricesDeps, 'settings' | 'now'>): Promise<void> {
  const [first] = settings.planned()
  if (first === undefined || first.from > now()) return
  await settings.writeBegunPrices({
    actor: { id: 0, username: 'system', role: ROLE.root },
    language: 'en',
    nowSeconds: Math.floor(now() / 1000),
  })
}
