import { Text } from '@mantine/core'
import type { ImportedChannel } from '@tollgate/contract'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber, splitList } from '../../lib/format.ts'
import classes from './channels.module.css'

/** What needs a decision comes first. */
const STATES = ['wrong', 'changed', 'new', 'unchanged'] as const

const LISTS: ReadonlySet<string> = new Set(['models', 'group'])

export function ImportPreview({ channels }: { channels: readonly ImportedChannel[] }) {
  const { t } = useTranslation()
  const isIdle = channels.every(({ state }) => state === 'unchanged' || state === 'wrong')
  return (
    <div className={classes['diff']} aria-live="polite">
      {STATES.map((state) => {
        const rows = channels.filter((channel) => channel.state === state)
        if (rows.length === 0) return null
        const title = t('channelFiles.counted', {
          title: t(`channelFiles.${state}`),
          number: formatNumber(rows.length),
        })
        return (
          <section key={state} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {rows.map((row) => (
                <Row key={row.line} row={row} />
              ))}
            </ul>
          </section>
        )
      })}
      {isIdle && (
        <Text size="sm" c="dimmed">
          {t('channelFiles.nothing')}
        </Text>
      )}
    </div>
  )
}

function Row({ row }: { row: ImportedChannel }) {
  const { t } = useTranslation()
  return (
    <li>
      <strong>{row.name || `#${row.line}`}</strong>
      {row.reason && <div className={classes['bad']}>{row.reason}</div>}
      {row.changes.map((change) => (
        <Change key={change.field} {...change} />
      ))}
      {row.left_out.length > 0 && (
        <div className={classes['dimmedLine']}>
          {t('channelFiles.leftOut', { names: joinNames(row.left_out) })}
        </div>
      )}
    </li>
  )
}

type ChangeProps = ImportedChannel['changes'][number]

function Change({ field, before, after }: ChangeProps) {
  const { t } = useTranslation()
  const label = <code>{field}</code>
  if (LISTS.has(field)) {
    const [old, now] = [splitList(before), splitList(after)]
    const parts = [
      ['added', now.filter((name) => !old.includes(name))] as const,
      ['removed', old.filter((name) => !now.includes(name))] as const,
    ]
    return (
      <div>
        {label}{' '}
        {parts
          .filter(([, names]) => names.length > 0)
          .map(([part, names]) => t(`channelFiles.${part}`, { names: joinNames(names) }))
          .join(' · ') || t('channelFiles.secret')}
      </div>
    )
  }
  if (before === after) {
    return (
      <div>
        {label} {t('channelFiles.secret')}
      </div>
    )
  }
  return (
    <div>
      {label} {`${before || t('channelFiles.empty')} → ${after || t('channelFiles.empty')}`}
    </div>
  )
}
