import { timingSafeEqual } from 'node:crypto'
import { AppError, type Quota } from '@tollgate/contract'
import { addressKey } from '../../http/rate-limit.ts'
import { isMailConfigured } from '../../integrations/mail.ts'
import { findReminder, setReminder } from '../../store/reminders.ts'
import { reminderLinkText } from '../../text/reminder-link.ts'
import { createAttemptLimit, takeOrRefuse } from '../attempt-limit.ts'
import type { AdminDeps } from '../deps.ts'

const STOPS_MAX = 30
const WINDOW_SECONDS = 20 * 60

export async function readReminder({ database, settings }: AdminDeps, userId: number) {
  const found = await findReminder(database.kysely, userId)
  if (!found) throw new AppError('user_not_found')
  const options = settings.current()
  return {
    below: found.remind_below,
    site_below: options.QuotaRemindThreshold,
    email: found.email,
    sends_mail: isMailConfigured(options),
  }
}

export const changeReminder = ({ database }: AdminDeps, userId: number, below: Quota) =>
  database.transaction((tx) => setReminder(tx, userId, below))

/** Switches the mails off by the link in a mail. The link ends with the address it was sent to. */
export function createStopReminder(deps: AdminDeps) {
  const { database, secrets } = deps
  const limit = createAttemptLimit(deps, {
    name: 'reminder link',
    most: STOPS_MAX,
    seconds: WINDOW_SECONDS,
  })
  return async (link: { user_id: number; signature: string }, address: string) => {
    await takeOrRefuse(limit, addressKey(address))
    const found = await findReminder(database.kysely, link.user_id)
    const expected = secrets.signReminder(reminderLinkText(link.user_id, found?.email ?? ''))
    const isSigned = isSame(link.signature, expected)
    if (!found || !isSigned) throw new AppError('reminder_link_invalid')
    await database.transaction((tx) => setReminder(tx, link.user_id, 0))
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
