import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Attempt, ChargeBasis, Log } from '@tollgate/contract'
import { copyText } from '../../lib/clipboard.ts'
import { formatDuration, formatMoney, formatNumber, MONEY_DIGITS } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Facts } from '../../ui/facts.tsx'
import { sumOf, type Term, termsOf } from './arithmetic.ts'
import classes from './receipt.module.css'
import { useEndReason } from './use-end-reason.ts'

/** A log row opened: what happened, and the charge as arithmetic that can be checked. */
export function Receipt({ log }: { log: Log }) {
  const { t } = useTranslation()
  const end = useEndReason(log.end_reason)
  const timing = [
    t(log.is_stream ? 'log.receipt.stream' : 'log.receipt.whole'),
    formatDuration(log.elapsed_time),
    ...(log.first_token_time > 0
      ? [t('log.receipt.firstToken', { time: formatDuration(log.first_token_time) })]
      : []),
  ].join(' · ')
  const facts = [
    ...(log.content === '' || log.basis
      ? []
      : [{ name: t('log.receipt.content'), value: log.content }]),
    ...(log.outcome === '' ? [] : [{ name: t('log.receipt.end'), value: `${end} · ${timing}` }]),
    ...(log.upstream_model === ''
      ? []
      : [{ name: t('log.receipt.upstreamModel'), value: log.upstream_model }]),
    ...(log.attempt_count === 0
      ? []
      : [{ name: t('log.receipt.attempts'), value: <Attempts log={log} /> }]),
    ...(log.request_id === ''
      ? []
      : [
          {
            name: t('log.receipt.request'),
            value: <Copyable text={log.request_id} label={t('log.receipt.request')} />,
          },
        ]),
  ]
  return (
    <div className={classes['receipt']}>
      {log.basis && <Arithmetic basis={log.basis} log={log} />}
      <div>
        <Facts items={facts} />
        <Button
          mt="sm"
          size="compact-sm"
          variant="default"
          onClick={() => void copyText(JSON.stringify(log, null, 2))}
        >
          {t('log.receipt.copyJson')}
        </Button>
      </div>
    </div>
  )
}

function useTermText(basis: ChargeBasis) {
  const { t } = useTranslation()
  return ({ kind, tokens, ratio }: Term) => {
    const isReasoning = kind === 'completion' && basis.reasoning_tokens > 0
    return {
      name: isReasoning
        ? t('log.receipt.reasoning', { tokens: formatNumber(basis.reasoning_tokens) })
        : t(`log.receipt.${kind}`),
      amount:
        ratio === 1
          ? t('log.receipt.tokens', { tokens: formatNumber(tokens) })
          : t('log.receipt.times', { tokens: formatNumber(tokens), ratio: formatNumber(ratio) }),
    }
  }
}

function Arithmetic({ basis, log }: { basis: ChargeBasis; log: Log }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const termText = useTermText(basis)
  const terms = termsOf(basis)
  const charged = t('log.receipt.units', {
    units: formatNumber(log.quota),
    money: formatMoney(log.quota, quotaPerUnit, MONEY_DIGITS.receipt),
  })
  const hold = t('log.receipt.hold', {
    held: formatNumber(basis.held),
    settled: formatNumber(log.quota),
    back: formatNumber(Math.max(0, basis.held - log.quota)),
  })
  return (
    <div>
      <table className={classes['sum']} aria-label={t('log.receipt.title')}>
        <tbody>
          {terms.map((term) => (
            <tr key={term.kind}>
              <th scope="row">{termText(term).name}</th>
              <td>{termText(term).amount}</td>
              <td>{formatNumber(term.weighted)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{t('log.receipt.sum')}</th>
            <td />
            <td>{formatNumber(sumOf(terms))}</td>
          </tr>
          <tr>
            <th scope="row" colSpan={2}>
              {t('log.receipt.factors', {
                model: formatNumber(basis.model_ratio),
                group: basis.group,
                ratio: formatNumber(basis.group_ratio),
              })}
            </th>
            <td>{formatNumber(basis.cost)}</td>
          </tr>
          {log.uncollected > 0 && (
            <tr>
              <th scope="row" colSpan={2}>
                {t('log.receipt.uncollected')}
              </th>
              <td>{formatNumber(-log.uncollected)}</td>
            </tr>
          )}
          <tr data-total>
            <th scope="row">{t('log.receipt.charged')}</th>
            <td colSpan={2}>{charged}</td>
          </tr>
        </tbody>
      </table>
      <p className={classes['note']}>
        {hold}
        <br />
        {t('log.receipt.price', { model: basis.price_model, version: basis.price_version })}
        <br />
        {t(basis.usage_source === 'reported' ? 'log.receipt.reported' : 'log.receipt.counted')}
      </p>
    </div>
  )
}

function Attempts({ log }: { log: Log }) {
  const { t } = useTranslation()
  const text = ({ channel, status, reason, milliseconds }: Attempt) => {
    const line = t('log.receipt.attempt', {
      channel,
      status: status === 0 ? t('log.receipt.noAnswer') : status,
      time: formatDuration(milliseconds),
    })
    return reason === '' ? line : `${line} (${reason})`
  }
  if (log.attempts.length === 0) return t('log.receipt.attemptCount', { count: log.attempt_count })
  return (
    <ol className={classes['attempts']}>
      {log.attempts.map((attempt) => (
        <li key={`${attempt.channel} ${attempt.milliseconds} ${attempt.reason}`}>
          {text(attempt)}
        </li>
      ))}
    </ol>
  )
}
