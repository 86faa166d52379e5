import type { Logger } from 'pino'
import { wallTime } from '@tollgate/contract'
import { moneyBalance } from '@tollgate/relay'
import { type AlertFigures, type Crossing, findCrossings } from '../domain/alert-rules.ts'
import { periodStart } from '../domain/budget-period.ts'
import type { Settings } from '../settings/settings.ts'
import { chargedSince, listWatchedChannels, recentAttempts } from '../store/alert-figures.ts'
import { closeAlert, listOpenAlerts, openAlert } from '../store/alerts.ts'
import type { Database } from '../store/database.ts'
import { enqueue } from '../store/outbox.ts'
import { startPeriodic } from './periodic.ts'

export type AlertRuleDeps = {
  database: Database
  settings: Settings
  log: Logger
  /** Epoch milliseconds. */
  now: () => number
}

const ROUND_MS = 60_000

export const startWatchingAlertRules = (deps: AlertRuleDeps): { stop: () => Promise<void> } =>
  startPeriodic({
    run: () => checkAlertRules(deps),
    pauseMs: ROUND_MS,
    firstMs: ROUND_MS,
    log: deps.log,
    failure: 'the alert rules cannot be checked',
  })

/** One round: alerts of each rule that crosses its threshold, once until it is back. */
export async function checkAlertRules(deps: AlertRuleDeps): Promise<void> {
  const { database, settings, now } = deps
  const { kysely } = database
  const options = settings.current()
  const open = await listOpenAlerts(kysely)
  if (!hasRule(options) && open.length === 0) return
  const at = Math.floor(now() / 1000)
  const isOpen = ({ rule, subject }: Pick<Crossing, 'rule' | 'subject'>) =>
    open.some((alert) => alert.rule === rule && alert.subject === subject)
  const crossings = findCrossings(await readFigures(deps, at), options, isOpen)
  for (const crossing of crossings.filter((found) => !isOpen(found))) {
    const { rule: event, name } = crossing
    const { en: detail, zh: detail_zh } = crossing.detail
    await database.transaction(async (tx) => {
      if (!(await openAlert(tx, crossing, at))) return
      await enqueue(tx, { type: 'rule-alert', event, name, detail, detail_zh }, at)
    })
  }
  for (const alert of open) {
    const isStill = crossings.some(
      ({ rule, subject }) => rule === alert.rule && subject === alert.subject,
    )
    if (!isStill) await closeAlert(kysely, alert)
  }
}

type Options = ReturnType<Settings['current']>

const hasRule = (options: Options) =>
  options.AlertErrorPercent > 0 ||
  options.AlertChannelErrorPercent > 0 ||
  options.AlertSpendDollars > 0 ||
  options.AlertBalanceBelow > 0

async function readFigures(
  { database: { kysely }, settings }: AlertRuleDeps,
  at: number,
): Promise<AlertFigures> {
  const { TimeZone, QuotaPerUnit } = settings.current()
  const dayStart = periodStart('day', at, TimeZone)
  const channels = await listWatchedChannels(kysely, at)
  return {
    total: await recentAttempts(kysely, at),
    channels: channels.map(({ type, balance, balance_updated_time, ...channel }) => ({
      ...channel,
      balance: balance_updated_time > 0 ? moneyBalance(type, balance) : null,
    })),
    day: new Date(wallTime(TimeZone, dayStart) * 1000).toISOString().slice(0, 10),
    spentDollars: (await chargedSince(kysely, dayStart)) / QuotaPerUnit,
  }
}
