import type { ReactNode } from 'react'
import { END_REASON, NANO_DOLLARS, type Receipt } from '@tollgate/contract'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatMoney, formatNumber, formatDuration, MONEY_DIGITS } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { useEndReason } from '../../ui/use-end-reason.ts'
import classes from './receipt.module.css'
import { useAttemptReason } from './use-attempt-reason.ts'

type Item = { name: string; value: ReactNode; isShown: boolean }

export function ReceiptDetails({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation()
  const end = useEndReason(receipt.end_reason)
  const isRequest = receipt.outcome !== ''
  const { content, upstream_model, request_id } = receipt
  const items: Item[] = [
    { name: t('log.receipt.hold'), value: <Held receipt={receipt} />, isShown: receipt.held > 0 },
    // The content of a charge only repeats the ratios shown in the sum.
    {
      name: t('log.receipt.content'),
      value: content,
      isShown: content !== '' && receipt.basis === null,
    },
    { name: t('log.receipt.attempts'), value: <Attempts receipt={receipt} />, isShown: isRequest },
    {
      name: t('log.receipt.providerCost'),
      value: <ProviderCost receipt={receipt} />,
      isShown: isRequest && receipt.provider_cost !== undefined && mayHaveCost(receipt),
    },
    { name: t('log.receipt.end'), value: end, isShown: end !== '' },
    {
      name: t('log.receipt.policy'),
      value: t(receipt.disconnect_policy === 'abort' ? 'log.receipt.abort' : 'log.receipt.drain'),
      isShown: receipt.end_reason === END_REASON.clientLeft && receipt.disconnect_policy !== '',
    },
    {
      name: t('log.receipt.upstreamModel'),
      value: upstream_model,
      isShown: upstream_model !== '',
    },
    {
      name: t('log.receipt.request'),
      value: <Copyable text={request_id} label={t('log.receipt.request')} />,
      isShown: request_id !== '',
    },
  ]
  return <DescriptionList items={items.filter(({ isShown }) => isShown)} />
}

function Held({ receipt: { held, quota, outcome } }: { receipt: Receipt }) {
  const { t } = useTranslation()
  if (outcome === 'void') return t('log.receipt.holdReleased', { held: formatNumber(held) })
  return t('log.receipt.held', {
    held: formatNumber(held),
    settled: formatNumber(quota),
    back: formatNumber(Math.max(0, held - quota)),
  })
}

/** A request that was not charged and reached no provider has no cost, not an unknown one. */
const mayHaveCost = ({ attempt_count, quota, provider_cost }: Receipt) =>
  attempt_count > 0 || quota > 0 || provider_cost !== null

/** Only administrators get it. */
function ProviderCost({ receipt: { provider_cost: cost = null, quota } }: { receipt: Receipt }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  if (cost === null) return t('log.receipt.costUnknown')
  const dollars = cost / NANO_DOLLARS
  return t('log.receipt.costAndMargin', {
    cost: formatMoney(dollars, 1, MONEY_DIGITS.receipt),
    margin: formatMoney(quota / quotaPerUnit - dollars, 1, MONEY_DIGITS.receipt),
  })
}

/** Administrators see the channels attempted; users see only the count and the time lost. */
function Attempts({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation()
  const { attempts, attempt_count, lost } = receipt
  if (attempt_count === 0) return t('log.receipt.noAttempt')
  const count = t('log.receipt.attemptCount', { count: attempt_count })
  const summary =
    attempt_count > 1
      ? t('log.receipt.lost', { attempts: count, time: formatDuration(lost) })
      : count
  if (attempts.length === 0) return summary
  return (
    <>
      {attempts.length > 1 && <div>{summary}</div>}
      <ol className={classes['attempts']}>
        {attempts.map((attempt, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- attempts may be equal and never move
          <li key={index}>
            <OneAttempt attempt={attempt} />
          </li>
        ))}
      </ol>
    </>
  )
}

function OneAttempt({ attempt }: { attempt: Receipt['attempts'][number] }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const { channel, channel_name, status, milliseconds, hedged, rescued, adapted, session } = attempt
  const reason = useAttemptReason(attempt.reason)
  const name = `${channel} ${channel_name}`.trim()
  const time = formatDuration(milliseconds)
  const prompt = attempt.unbilled_prompt_tokens
  const completion = attempt.unbilled_completion_tokens
  const { cost, cost_source } = attempt
  const notes = [
    hedged && t('log.receipt.hedged'),
    rescued && t('log.receipt.rescued'),
    adapted.length > 0 && t('log.receipt.adapted', { names: joinNames(adapted) }),
    session && t('log.receipt.session'),
    reason,
    cost_source !== '' &&
      t('log.receipt.attemptCost', {
        cost: formatMoney(cost / NANO_DOLLARS, 1, MONEY_DIGITS.receipt),
        source: t(`log.receipt.costSource.${cost_source}`),
      }),
    prompt + completion > 0 &&
      t('log.receipt.unbilled', {
        prompt: formatNumber(prompt),
        completion: formatNumber(completion),
        money: formatMoney(attempt.unbilled_quota, quotaPerUnit, MONEY_DIGITS.receipt),
      }),
  ]
  return (
    <>
      {status === 0
        ? t('log.receipt.silent', { channel: name, time })
        : t('log.receipt.attempt', { channel: name, status, time })}
      {notes
        .filter((note) => note !== false && note !== '')
        .map((note) => (
          <span key={String(note)} className={classes['reason']}>
            {note}
          </span>
        ))}
    </>
  )
}
