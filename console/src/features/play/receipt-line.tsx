import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { logEndpoints, type Receipt } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { helpFor } from '../../lib/failure-help.ts'
import { formatNumber, formatDuration, formatQuota } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { useEndReason } from '../../ui/use-end-reason.ts'
import type { Answer } from './conversation.ts'
import classes from './play.module.css'

const ASK_AGAIN_MS = 1000
const TRIES_MAX = 3

/** What the request cost, from its row in the log; null while the row is not there. */
async function findReceipt(requestId: string, signal: AbortSignal): Promise<Receipt | null> {
  const query = { request_id: requestId, size: 1 }
  const [row] = (await call(logEndpoints.listOwnLogs, { query }, signal)).data
  if (row === undefined) return null
  return (await call(logEndpoints.getReceipt, { params: { id: row.id } }, signal)).data
}

/**
 * Tokens, cost, the channel for administrators, and the time to the first token. A failure begins
 * with its reason, since the API reports errors in English.
 */
export function ReceiptLine({ answer }: { answer: Answer }) {
  const { requestId, firstTokenMs, state } = answer
  const { t } = useTranslation()
  const money = useMoney()
  const { data, isError } = useQuery({
    queryKey: ['play', 'receipt', requestId],
    queryFn: ({ signal }) => findReceipt(requestId, signal),
    enabled: requestId !== '',
    staleTime: Infinity,
    refetchInterval: ({ state }) =>
      state.data === null && state.dataUpdateCount < TRIES_MAX ? ASK_AGAIN_MS : false,
    meta: { quiet: true },
  })
  const reason = useEndReason(data?.end_reason ?? '')
  if (isError) return <p className={classes['receipt']}>{t('play.receipt.failed')}</p>
  const firstToken = firstTokenMs === null ? [] : [firstTokenText(firstTokenMs)]
  if (!data) return <p className={classes['receipt']}>{firstToken.join(' · ')}</p>
  const { basis, attempts, channel, quota, prompt_tokens, completion_tokens } = data
  const cached = basis?.cached_tokens ?? 0
  const served = attempts.find((attempt) => attempt.channel === channel)?.channel_name
  const parts = [
    ...(state === 'failed' && reason !== '' ? [reason] : []),
    t('play.receipt.input', { tokens: formatNumber(prompt_tokens) }),
    ...(cached > 0 ? [t('play.receipt.cached', { tokens: formatNumber(cached) })] : []),
    t('play.receipt.output', { tokens: formatNumber(completion_tokens) }),
    formatQuota(quota, money),
    ...(served === undefined ? [] : [served]),
    ...firstToken,
  ]
  const places = state === 'failed' ? helpFor(data.end_reason) : []
  return (
    <p className={classes['receipt']}>
      {parts.join(' · ')} <Link to={`/log?request_id=${requestId}`}>{t('play.receipt.log')}</Link>
      {places.map(({ to, label }) => (
        <Fragment key={to}>
          {' '}
          <Link to={to}>{t(label)}</Link>
        </Fragment>
      ))}
    </p>
  )

  function firstTokenText(milliseconds: number) {
    const time = formatDuration(milliseconds).replace(' ', '\u00a0')
    return t('play.receipt.firstToken', { time })
  }
}
