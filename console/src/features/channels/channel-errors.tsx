import { type ChannelTraffic, UPSTREAM_PROBLEM_KINDS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'

/** Failed attempts by kind, each with its latest example. */
export function ChannelErrors({ id, errors }: { id: number; errors: ChannelTraffic['errors'] }) {
  const { t } = useTranslation()
  const nameOf = (kind: string) => {
    const known = UPSTREAM_PROBLEM_KINDS.find((one) => one === kind)
    return known === undefined ? kind : t(`channelView.problem.${known}`)
  }
  if (errors.length === 0) return <p>{t('channelView.noErrors')}</p>
  return (
    <PlainTable label={t('channelView.errors')}>
      <thead>
        <tr>
          <th scope="col">{t('channelView.kind')}</th>
          <th scope="col" data-align="right">
            {t('channelView.count')}
          </th>
          <th scope="col">{t('channelView.example')}</th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ kind, faults, example: { status, reason, model, at } }) => (
          <tr key={kind}>
            <th scope="row">{status === 0 ? nameOf(kind) : `${nameOf(kind)} · HTTP ${status}`}</th>
            <td data-align="right">{formatNumber(faults)}</td>
            <td data-wraps>
              <Link to={`/log?channel=${id}`}>
                {t('channelView.exampleOf', { reason, model, time: formatTime(at) })}
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  )
}
