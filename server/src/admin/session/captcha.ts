import { AppError } from '@tollgate/contract'
import { addressKey } from '../../http/rate-limit.ts'
import { AskError } from '../../integrations/ask.ts'
import { isHuman } from '../../integrations/turnstile.ts'
import { createMarks } from '../attempt-limit.ts'
import type { AdminDeps } from '../deps.ts'

type Shown = { turnstile: string; address: string }

export type HumanCheck = {
  requireHuman: (purpose: 'register' | 'verification' | 'reset-mail', shown: Shown) => Promise<void>
}

const KEPT_SECONDS = 5 * 60

/**
 * Every call is checked anew, but for one: front ends of One API register with the response that their code was asked
 * for with, and Turnstile knows each only once. So it is good for that too, from the same place.
 */
export function createHumanCheck(deps: AdminDeps): HumanCheck {
  const kept = createMarks(deps, { name: 'human', seconds: KEPT_SECONDS })
  return {
    requireHuman: async (purpose, shown) => {
      if (!deps.settings.current().TurnstileCheckEnabled) return
      const { turnstile, address } = shown
      const key = `${addressKey(address)} ${turnstile}`
      if (purpose === 'register' && (await kept.spend(key))) return
      await requirePassed(deps, shown)
      if (purpose === 'verification') await kept.put(key)
    },
  }
}

/** Without a verdict nobody passes. */
async function requirePassed(
  { settings, env, ask, log }: AdminDeps,
  { turnstile, address }: Shown,
) {
  if (turnstile === '') throw new AppError('human_check_missing')
  const check = {
    server: env.TURNSTILE_ADDRESS,
    secret: settings.current().TurnstileSecretKey,
    response: turnstile,
    address,
  }
  const passed = await isHuman(ask, check).catch((error: unknown) => {
    if (!(error instanceof AskError)) throw error
    log.warn({ reason: error.message }, 'Turnstile gave no verdict, so the caller was refused')
    throw new AppError('human_check_unavailable', {}, error)
  })
  if (!passed) throw new AppError('human_check_failed')
}
