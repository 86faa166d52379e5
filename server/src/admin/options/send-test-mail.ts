import { AppError, type Language } from '@tollgate/contract'
import { createAttemptLimit, takeOrRefuse } from '../../http/rate-limit.ts'
import { letterOf } from '../../integrations/mail-texts.ts'
import { isMailConfigured, MailError, sendMail } from '../../integrations/mail.ts'
import type { AdminDeps } from '../deps.ts'
import { type Asking, requireStillInNow } from '../still-in.ts'

const WINDOW_MS = 20 * 60 * 1000
const MAILS_MAX = 10

type By = Asking & { language: Language }

/** Sends at once; throws `mail_not_configured`, `mail_failed` or `too_many_requests`. */
export function createTestMail(deps: AdminDeps) {
  const { settings, now } = deps
  const limit = createAttemptLimit({ most: MAILS_MAX, windowMs: WINDOW_MS, now })
  return async (by: By, { to }: { to: string }): Promise<void> => {
    await requireStillInNow(deps, by)
    const { caller, language } = by
    const options = settings.current()
    if (!isMailConfigured(options)) throw new AppError('mail_not_configured')
    takeOrRefuse(limit, String(caller.id))
    try {
      await sendMail(options, {
        to: [to],
        ...letterOf({ type: 'test-mail', language }, options),
      })
    } catch (error) {
      if (!(error instanceof MailError)) throw error
      throw new AppError('mail_failed', { reason: error.reason[language] }, error)
    }
  }
}
