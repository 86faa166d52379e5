import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { type Log, LOG_TYPE, logEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { helpFor, UNPAID } from '../../lib/failure-help.ts'
import { Link } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { RetryLine } from '../../ui/retry-line.tsx'
import { Time } from '../../ui/time.tsx'
import { useEndReason } from '../../ui/use-end-reason.ts'
import classes from './home-page.module.css'

const DAYS = 7
const DAY_SECONDS = 86_400
const SHOWN = 3

const FAILED = 'failed,refused'
const ALL = `/log?type=${LOG_TYPE.consume}&outcome=${FAILED}&range=week`

/** What went wrong with the own requests of the last seven days, and why. */
export function LastFailures() {
  const { t } = useTranslation()
  const {
    data: rows = [],
    error,
    errorUpdateCount,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ['logs', 'own-failures'],
    queryFn: async ({ signal }) => {
      const query = {
        type: LOG_TYPE.consume,
        outcome: FAILED,
        // As the link to all of them counts.
        start_timestamp: Math.floor(nowSeconds()) - DAYS * DAY_SECONDS,
        size: SHOWN,
      }
      return (await call(logEndpoints.listOwnLogs, { query }, signal)).data
    },
    meta: { quiet: true },
  })
  const isRetrying = isFetching && errorUpdateCount > 0
  if (rows.length === 0 && !error && !isRetrying) return null
  return (
    <section>
      <Title order={2} mb="sm">
        {t('home.failures.title')}
      </Title>
      {rows.length === 0 && error ? (
        <p>
          <RetryLine error={error} onRetry={() => void refetch()} />
        </p>
      ) : (
        <ul className={classes['failures']}>
          {rows.map((row) => (
            <Failure key={row.id} row={row} />
          ))}
        </ul>
      )}
      <Link to={ALL}>{t('home.failures.all')}</Link>
    </section>
  )
}

type FailureProps = { row: Pick<Log, 'created_at' | 'model_name' | 'end_reason' | 'content'> }

function Failure({ row: { created_at, model_name, end_reason, content } }: FailureProps) {
  const { t, language } = useTranslation()
  const reason = useEndReason(end_reason)
  // Only the error says whether the balance, the token or its budget was too small, in English.
  const isExact = end_reason === UNPAID && language === 'en'
  const text = isExact ? content || reason : reason || content
  const help = helpFor(end_reason)
  return (
    <li>
      <Time seconds={created_at} /> <strong>{model_name}</strong> {text}
      {help.map(({ to, label }) => (
        <Fragment key={to}>
          {' '}
          <Link to={to}>{t(label)}</Link>
        </Fragment>
      ))}
    </li>
  )
}
