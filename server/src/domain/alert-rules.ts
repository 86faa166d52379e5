import type { InBoth, OptionValues } from '@tollgate/contract'

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
    en: `${failures} of ${requests} in this hour and the last (${share}, alert from ${threshold} %)`,
    zh: `本小时和上一小时的 ${requests} 次请求中 ${failures} 次失败（${share}，达到 ${threshold} % 时告警）`,
  }
}

const spentText = (amount: number, threshold: number): InBoth => ({
  en: `$${amount.toFixed(2)} so far (alert from $${threshold.toFixed(2)})`,
  zh: `目前为 $${amount.toFixed(2)}（达到 $${threshold.toFixed(2)} 时告警）`,
})

function leftText(
  { amount, currency }: { amount: number; currency: string },
  threshold: number,
): InBoth {
  const left = `${amount.toFixed(2)} ${currency}`
  const least = `${threshold.toFixed(2)} ${currency}`
  return { en: `${left} left (alert below ${least})`, zh: `剩余 ${left}（低于 ${least} 时告警）` }
}
