import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { id, seconds } from './units.ts'

/** Services of the operator that get every alert. */
export const ALERT_RECEIVERS = ['webhook', 'feishu', 'telegram'] as const

export type AlertReceiver = (typeof ALERT_RECEIVERS)[number]

/** The newest alerts, which the bell shows. */
export const ALERTS_SHOWN = 50

const alertSchema = z.object({
  id,
  created_time: seconds,
  /** In the language of the call. */
  subject: z.string(),
  text: z.string(),
  /** The console's page about it, without the leading slash. */
  page: z.string(),
})

export type Alert = z.output<typeof alertSchema>

const alertListSchema = z.object({
  alerts: z.array(alertSchema),
  /** How many of them the caller has not marked as seen. */
  unseen: z.int(),
})

const testResultSchema = z.object({
  receiver: z.enum(ALERT_RECEIVERS),
  /** Why it was not accepted; empty on success. */
  problem: z.string(),
})

export const alertEndpoints = {
  listAlerts: endpoint('GET', '/api/alert/', 'admin', { data: alertListSchema }),
  markAlertsSeen: endpoint('POST', '/api/alert/seen', 'admin', {
    body: z.object({ seen_up_to: id }),
  }),
  /** Sends a test to every receiver that is set up. */
  testAlerts: endpoint('POST', '/api/alert/test', 'root', { data: z.array(testResultSchema) }),
} as const
