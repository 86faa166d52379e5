import { AppError } from '@tollgate/contract'
import { AskError } from '../../integrations/ask.ts'
import { isHuman } from '../../integrations/turnstile.ts'
import type { AdminDeps } from '../deps.ts'

/** Every call is checked anew; without a verdict nobody passes. */
export async function requireHuman(
  { settings, env, ask, log }: AdminDeps,
  { turnstile, address }: { turnstile: string; address: string },
) {
  const { TurnstileCheckEnabled, TurnstileSecretKey } = settings.current()
  if (!TurnstileCheckEnabled) return
  if (turnstile === '') throw new AppError('human_check_missing')
  const check = {
    server: env.TURNSTILE_ADDRESS,
    secret: TurnstileSecretKey,
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
