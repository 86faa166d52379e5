import { type EndpointCall, priceEndpoints, type PriceLoss } from '@tollgate/contract'
import { t } from '../i18n/texts.ts'
import { call } from './api.ts'
import { Cancelled } from './cancelled.ts'
import { confirm } from './confirm.ts'
import { formatDecimal } from './format.ts'
import './losses.messages.ts'

type Proposal = EndpointCall<typeof priceEndpoints.findPriceLosses>['body']

const SHOWN = 5

/**
 * Asks before a change after which models would be sold below cost. Throws a `Cancelled` if the
 * answer is no.
 */
export async function confirmLosses(proposal: Proposal) {
  const { data } = await call(priceEndpoints.findPriceLosses, { body: proposal })
  const { total, losses } = data
  if (total === 0) return
  const shown = losses.slice(0, SHOWN).map(lossText)
  const more = total > shown.length ? [t('loss.more', { count: total - shown.length })] : []
  const isMeant = await confirm({
    title: t('loss.title'),
    body: [...shown, ...more].join('\n'),
    verb: t('loss.verb'),
    danger: true,
  })
  if (!isMeant) throw new Cancelled()
}

function lossText({ model, channel, channel_name, group, part, price, cost }: PriceLoss): string {
  const names = { model, group, channel: `${channel || ''} ${channel_name}`.trim() }
  const amounts = { price: dollars(price), cost: dollars(cost), part: t(`loss.part.${part}`) }
  return t('loss.line', { ...names, ...amounts })
}

const dollars = (amount: number) => `$${formatDecimal(amount, 6).replace(/0{1,4}$/, '')}`
