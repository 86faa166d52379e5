import { AppError, type Language } from '@tollgate/contract'
import { letterOf } from '../../integrations/mail-texts.ts'
import { isMailConfigured, MailError, sendMail } from '../../integrations/mail.ts'
import { createAttemptLimit, takeOrRefuse } from '../attempt-limit.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorizeNow } from '../reauthorize.ts'

const WINDOW_SECONDS = 20 * 60
const MAILS_MAX = 10

type By = CallerContext & { language: Language }

/** Sends at once; throws `mail_not_configured`, `mail_failed` or `too_many_requests`. */
export function createTestMail(deps: AdminDeps) {
  const { settings } = deps
  const limit = createAttemptLimit(deps, {
    name: 'test email',
    most: MAILS_MAX,
    seconds: WINDOW_SECONDS,
  })
  return async (by: By, { to }: { to: string }): Promise<void> => {
    await reauthorizeNow(deps, by)
    const { caller, language } = by
    const options = settings.current()
    if (!isMailConfigured(options)) throw new AppError('mail_not_configured')
    await takeOrRefuse(limit, String(caller.id))
    try {
      const letter = { to: [to], ...letterOf({ type: 'test-mail', language }, options) }
      await sendMail(options, letter, { outgoing: deps.upstream.outgoing })
    } catch (error) {
      if (!(error instanceof MailError)) throw error
      throw new AppError('mail_failed', { reason: error.reason[language] }, error)
    }
  }
}
