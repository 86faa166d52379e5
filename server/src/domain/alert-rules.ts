import { type InBoth, moneyText, type OptionValues } from '@tollgate/contract'

/** What the rules look at. Failures are those of the last one to two hours. */
export type AlertFigures = {
  readonly total: Attempts
  readonly channels: readonly ChannelFigures[]
  /** The current day in the operator's time zone, such as 2026-11-27, and what it was charged. */
  readonly day: string
  readonly spentDollars: number
}

export type Attempts = { readonly requests: number; readonly failures: number }

export type ChannelFigures = Attempts & {
  readonly id: number
  readonly name: string
  /** In the provider's currency. Null if the provider reports no money. */
  readonly balance: { readonly amount: number; readonly currency: string } | null
}

export type AlertThresholds = Pick<
  OptionValues,
  'AlertErrorPercent' | 'AlertChannelErrorPercent' | 'AlertSpendDollars' | 'AlertBalanceBelow'
>

export type AlertRule = 'errors' | 'channel_errors' | 'spend' | 'balance'

export type Crossing = {
  readonly rule: AlertRule
  /** What crossed, for the rules that apply to several things: a channel's id, or a day. */
  readonly subject: string
  readonly name: string
  /** The figures and the threshold, as the end of a sentence. */
  readonly detail: InBoth
}

/** Fewer requests say nothing about a percentage. */
const REQUESTS_MIN = 50
const CHANNEL_REQUESTS_MIN = 20
const PERCENT = 100
/** An alert ends this far on the other side of its threshold, so that it does not flutter. */
const BACK = 0.8

/**
 * The rules whose thresholds are crossed. A threshold of 0 switches its rule off. `isOpen` tells
 * whether the rule has crossed before; it then stays crossed until the figure is clearly back.
 */
export function findCrossings(
  { total, channels, day, spentDollars }: AlertFigures,
  thresholds: AlertThresholds,
  isOpen: (crossing: Pick<Crossing, 'rule' | 'subject'>) => boolean,
): Crossing[] {
  const isAbove = (rule: AlertRule, subject: string, value: number, threshold: number) =>
    threshold > 0 && value >= threshold * (isOpen({ rule, subject }) ? BACK : 1)
  const isBelow = (rule: AlertRule, subject: string, value: number, threshold: number) =>
    threshold > 0 && value < threshold / (isOpen({ rule, subject }) ? BACK : 1)
  const { AlertErrorPercent, AlertChannelErrorPercent, AlertSpendDollars, AlertBalanceBelow } =
    thresholds
  const crossings: Crossing[] = []
  if (
    total.requests >= REQUESTS_MIN &&
    isAbove('errors', '', percentOf(total), AlertErrorPercent)
  ) {
    const detail = failedText(total, AlertErrorPercent)
    crossings.push({ rule: 'errors', subject: '', name: '', detail })
  }
  if (isAbove('spend', day, spentDollars, AlertSpendDollars)) {
    const detail = spentText(spentDollars, AlertSpendDollars)
    crossings.push({ rule: 'spend', subject: day, name: day, detail })
  }
  for (const channel of channels) {
    const { name, balance } = channel
    const subject = String(channel.id)
    if (
      channel.requests >= CHANNEL_REQUESTS_MIN &&
      isAbove('channel_errors', subject, percentOf(channel), AlertChannelErrorPercent)
    ) {
      const detail = failedText(channel, AlertChannelErrorPercent)
      crossings.push({ rule: 'channel_errors', subject, name, detail })
    }
    if (balance !== null && isBelow('balance', subject, balance.amount, AlertBalanceBelow)) {
      const detail = leftText(balance, AlertBalanceBelow)
      crossings.push({ rule: 'balance', subject, name, detail })
    }
  }
  return crossings
}

const percentOf = ({ requests, failures }: Attempts) => (failures * PERCENT) / requests

function failedText(attempts: Attempts, threshold: number): InBoth {
  const { failures, requests } = attempts
  const share = `${percentOf(attempts).toFixed(1)} %`
  return {
    en: `${failures} of ${requests} in the current and the previous hour (${share}, alert from ${threshold} %)`,
    zh: `本小时和上一小时的 ${requests} 次请求中 ${failures} 次失败（${share}，达到 ${threshold} % 时告警）`,
  }
}

/**
 * A threshold has the digits that it was set with, and an amount at least as many. The amount is
 * cut, since a balance of 4.998 must not read as 5.00 where the alert is from below 5.00.
 */
function amountsIn(sign: string, unit: string, { amount, threshold }: Amounts) {
  const limit = moneyText(threshold, THRESHOLD_DIGITS)
  const digits = limit.length - limit.indexOf('.') - 1
  return [moneyText(amount, digits, 'trunc'), limit].map((text) => `${sign}${text}${unit}`)
}

type Amounts = { readonly amount: number; readonly threshold: number }

const THRESHOLD_DIGITS = 12

function spentText(amount: number, threshold: number): InBoth {
  const [spent, limit] = amountsIn('$', '', { amount, threshold })
  return {
    en: `${spent} so far (alert from ${limit})`,
    zh: `目前为 ${spent}（达到 ${limit} 时告警）`,
  }
}

function leftText(
  { amount, currency }: { amount: number; currency: string },
  threshold: number,
): InBoth {
  const [left, limit] = amountsIn('', ` ${currency}`, { amount, threshold })
  return { en: `${left} left (alert below ${limit})`, zh: `剩余 ${left}（低于 ${limit} 时告警）` }
}
