import { AppError } from '@tollgate/contract'
import { addressKey } from '../../http/rate-limit.ts'
import { JsonClientError } from '../../integrations/json-client.ts'
import { isHuman } from '../../integrations/turnstile.ts'
import { createMarks } from '../attempt-limit.ts'
import type { AdminDeps } from '../deps.ts'

type CaptchaAnswer = { turnstile: string; address: string }

export type HumanCheck = {
  requireHuman: (
    purpose: 'register' | 'verification' | 'reset-mail',
    shown: CaptchaAnswer,
  ) => Promise<void>
}

const PASSED_SECONDS = 5 * 60

/**
 * Every call is verified with Turnstile, with one exception. Front ends of One API reuse the
 * response of the code request for registration, but Turnstile accepts a response only once. So a
 * verified response also passes one registration from the same address.
 */
export function createHumanCheck(deps: AdminDeps): HumanCheck {
  const passedChecks = createMarks(deps, { name: 'human', seconds: PASSED_SECONDS })
  return {
    requireHuman: async (purpose, shown) => {
      if (!deps.settings.current().TurnstileCheckEnabled) return
      const { turnstile, address } = shown
      const key = `${addressKey(address)} ${turnstile}`
      if (purpose === 'register' && (await passedChecks.spend(key))) return
      await requirePassed(deps, shown)
      if (purpose === 'verification') await passedChecks.put(key)
    },
  }
}

/** Rejects the caller if Turnstile gives no verdict. */
async function requirePassed(
  { settings, env, ask, log }: AdminDeps,
  { turnstile, address }: CaptchaAnswer,
) {
  if (turnstile === '') throw new AppError('human_check_missing')
  const check = {
    server: env.TURNSTILE_ADDRESS,
    secret: settings.current().TurnstileSecretKey,
    response: turnstile,
    address,
  }
  const passed = await isHuman(ask, check).catch((error: unknown) => {
    if (!(error instanceof JsonClientError)) throw error
    log.warn({ reason: error.message }, 'Turnstile gave no result; the caller was refused')
    throw new AppError('human_check_unavailable', {}, error)
  })
  if (!passed) throw new AppError('human_check_failed')
}
