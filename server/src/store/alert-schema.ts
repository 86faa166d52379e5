export type AlertsTable = {
  /** The id of the outbox message. */
  id: number
  /** JSON of a `Message`. */
  message: string
  created_at: number
}

export type OpenAlertsTable = { rule: string; subject: string; since: number }

type SeenAlertsTable = { user_id: number; alert_id: number }

export type AlertTables = {
  alerts: AlertsTable
  open_alerts: OpenAlertsTable
  seen_alerts: SeenAlertsTable
}
