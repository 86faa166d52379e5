import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { LOG_TYPE } from '@tollgate/contract'
import { formatTime } from '../../lib/format.ts'
import { type LogFilter, NO_FILTER } from './log-search.ts'
import classes from './logs.module.css'

export const TYPES = ['all', 'topup', 'consume', 'manage', 'system'] as const

type Chip = { text: string; without: Partial<LogFilter> }

export function useFilterLabels(filter: LogFilter): Chip[] {
  const { t } = useTranslation()
  const { type, range, start_timestamp, end_timestamp } = filter
  const chips: Chip[] = []
  const add = (label: string, value: string, without: Partial<LogFilter>) =>
    chips.push({ text: t('log.filter.chip', { label, value }), without })
  const known = TYPES.find((name) => LOG_TYPE[name] === type)
  if (type !== NO_FILTER.type) {
    add(t('log.filter.type'), known ? t(`log.type.${known}`) : String(type), { type: 0 })
  }
  const texts = [
    { name: 'token_name', label: t('log.filter.token') },
    { name: 'model_name', label: t('log.filter.model') },
    { name: 'username', label: t('log.filter.username') },
    { name: 'channel', label: t('log.filter.channel') },
  ] as const
  for (const { name, label } of texts) {
    if (filter[name] !== '') add(label, filter[name], { [name]: '' })
  }
  const time = (seconds: number) => (seconds === 0 ? '…' : formatTime(seconds))
  const custom = `${time(start_timestamp)} – ${time(end_timestamp)}`
  if (range !== 'all') {
    const value = range === 'custom' ? custom : t(`log.filter.${range}`)
    add(t('log.filter.range'), value, { range: 'all', start_timestamp: 0, end_timestamp: 0 })
  }
  return chips
}

type Props = { filter: LogFilter; onChange: (filter: LogFilter) => void }

export function FilterChips({ filter, onChange }: Props) {
  const { t } = useTranslation()
  const chips = useFilterLabels(filter)
  if (chips.length === 0) return null
  return (
    <ul className={classes['active']} aria-label={t('log.filter.active')}>
      {chips.map(({ text, without }) => (
        <li key={text}>
          <button
            type="button"
            className={classes['filter']}
            aria-label={t('log.filter.remove', { filter: text })}
            title={text}
            onClick={() => onChange({ ...filter, ...without })}
          >
            <span>{text}</span>
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className={classes['clear']} onClick={() => onChange(NO_FILTER)}>
          {t('log.filter.clear')}
        </button>
      </li>
    </ul>
  )
}
