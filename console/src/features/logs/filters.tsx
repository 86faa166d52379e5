import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { LOG_TYPE, type LogFacets } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatTime, parseTime } from '../../lib/format.ts'
import { useOpenRange } from '../../lib/use-open-range.ts'
import { Choice } from '../../ui/choice.tsx'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import type { Fields } from './log-fields.ts'
import { type LogFilter, RANGES } from './log-search.ts'
import classes from './logs.module.css'
import { QueryField } from './query-field.tsx'

const TYPES = ['all', 'topup', 'consume', 'manage', 'system'] as const
const FAILED = 'failed,refused'

type Props = {
  filter: LogFilter
  facets: LogFacets | undefined
  isAdmin: boolean
  onChange: (filter: LogFilter) => void
}

export function Filters({ filter, facets, isAdmin, onChange }: Props) {
  const { t } = useTranslation()
  const [isCustom, setIsCustom] = useOpenRange(filter.range)
  const change = (part: Partial<LogFilter>) => onChange({ ...filter, ...part })
  const isFailedOnly = filter.outcome === FAILED
  return (
    <div className={classes['filters']} role="group" aria-label={t('log.filter.label')}>
      <NativeSelect
        size="xs"
        label={t('log.filter.type')}
        value={TYPES.find((type) => LOG_TYPE[type] === filter.type) ?? 'all'}
        onChange={(event) => {
          const type = TYPES.find((name) => name === event.currentTarget.value) ?? 'all'
          change({ type: LOG_TYPE[type] })
        }}
        data={TYPES.map((type) => ({ value: type, label: t(`log.type.${type}`) }))}
      />
      <QueryField
        fields={filter}
        facets={facets}
        isAdmin={isAdmin}
        onChange={(fields: Fields) => onChange({ ...filter, ...fields })}
      />
      <Button
        className={classes['failedOnly'] ?? ''}
        size="xs"
        variant={isFailedOnly ? 'filled' : 'default'}
        aria-pressed={isFailedOnly}
        onClick={() => change({ outcome: isFailedOnly ? '' : FAILED })}
      >
        {t('log.filter.failedOnly')}
      </Button>
      <div className={classes['range']}>
        <span aria-hidden className={classes['label']}>
          {t('log.filter.range')}
        </span>
        <Choice
          label={t('log.filter.range')}
          options={RANGES.map((range) => ({ value: range, label: t(`log.filter.${range}`) }))}
          value={isCustom ? 'custom' : filter.range}
          onChange={(range) => {
            setIsCustom(range === 'custom')
            if (range !== 'custom') change({ range, start_timestamp: 0, end_timestamp: 0 })
          }}
        />
      </div>
      {isCustom && (
        <CustomRange
          key={`${filter.start_timestamp} ${filter.end_timestamp}`}
          {...{ filter }}
          onChange={change}
        />
      )}
    </div>
  )
}

const timeText = (seconds: number) => (seconds === 0 ? '' : formatTime(seconds))

const isReadable = (text: string) => text.trim() === '' || parseTime(text) !== null

function CustomRange({
  filter,
  onChange,
}: {
  filter: LogFilter
  onChange: (part: Partial<LogFilter>) => void
}) {
  const { t } = useTranslation()
  const [from, setFrom] = useState(timeText(filter.start_timestamp))
  const [to, setTo] = useState(timeText(filter.end_timestamp))
  const field = (label: string, value: string, set: (text: string) => void) => (
    <DateTimeField
      size="xs"
      className={classes['time'] ?? ''}
      label={label}
      value={value}
      onChange={set}
      error={isReadable(value) ? undefined : t('log.filter.timeError')}
    />
  )
  return (
    <form
      className={classes['custom']}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReadable(from) || !isReadable(to)) return
        onChange({
          range: 'custom',
          start_timestamp: parseTime(from) ?? 0,
          end_timestamp: parseTime(to) ?? 0,
        })
      }}
    >
      {field(t('log.filter.from'), from, setFrom)}
      {field(t('log.filter.to'), to, setTo)}
      <Button type="submit" size="xs">
        {t('log.filter.apply')}
      </Button>
    </form>
  )
}
