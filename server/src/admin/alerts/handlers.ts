import {
  ALERT_RECEIVERS,
  type Alert,
  type alertEndpoints,
  ALERTS_SHOWN,
  type Language,
  type OptionValues,
} from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { isReceiverSetUp, sendNotice } from '../../integrations/alert-receivers.ts'
import { pageOf } from '../../integrations/mail-texts.ts'
import { consolePageOf, readAlert } from '../../integrations/stored-alert.ts'
import { lastSeenAlert, listAlerts, markAlertsSeen, type StoredAlert } from '../../store/alerts.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

const TEST = { en: 'This is a test alert.', zh: '这是一条测试告警。' }

export function alertHandlers(deps: AdminDeps): Handlers<typeof alertEndpoints> {
  const { database, settings } = deps
  const { kysely } = database
  return {
    listAlerts: async ({ caller, language }) => {
      const [stored, seen] = await Promise.all([
        listAlerts(kysely, ALERTS_SHOWN),
        lastSeenAlert(kysely, caller.id),
      ])
      const alerts = stored.flatMap((alert) => present(alert, settings.current(), language))
      return { data: { alerts, unseen: alerts.filter(({ id }) => id > seen).length } }
    },
    markAlertsSeen: async ({ caller }, { body }) => {
      await markAlertsSeen(kysely, caller.id, body.seen_up_to)
      return {}
    },
    testAlerts: async ({ language }) => {
      const options = settings.current()
      const receivers = ALERT_RECEIVERS.filter((receiver) => isReceiverSetUp(receiver, options))
      const notice = {
        id: 0,
        createdAt: nowSeconds(deps),
        type: 'test',
        subject: `[${options.SystemName}] ${TEST[language]}`,
        text: '',
        url: '',
      }
      const test = async (receiver: (typeof ALERT_RECEIVERS)[number]) => {
        const problem = await sendNotice(deps, options, { receiver, notice })
        return { receiver, problem: problem ?? '' }
      }
      return { data: await Promise.all(receivers.map(test)) }
    },
  }
}

/** Empty for an alert of another version. */
function present(stored: StoredAlert, options: OptionValues, language: Language): Alert[] {
  const alert = readAlert(stored)
  if (alert === undefined) return []
  const { subject, parts } = pageOf(alert, options, language)
  const lines = parts.filter((part) => typeof part === 'string')
  const text = lines.filter((line) => !repeats(line, subject)).join('\n')
  const { id, created_at: created_time } = stored
  return [{ id, created_time, subject, text, page: consolePageOf(alert) }]
}

/** A mail begins with its subject; the list shows the subject already. */
const repeats = (line: string, subject: string) => line === `${subject}.` || line === `${subject}。`
