import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LOG_TYPE } from '@tollgate/contract'
import { Choice } from '../../ui/choice.tsx'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import { FilterChips, TYPES } from './filter-chips.tsx'
import { isChannelId, type LogFilter, RANGES } from './log-search.ts'
import classes from './logs.module.css'
import { useFilterDraft } from './use-filter-draft.ts'

type Props = { filter: LogFilter; isAdmin: boolean; onChange: (filter: LogFilter) => void }

/** Type and range apply immediately; text fields apply on Enter or with the button. */
export function Filters({ filter, isAdmin, onChange }: Props) {
  const { t } = useTranslation()
  const isPhone = useMediaQuery('(max-width: 599px)', false, { getInitialValueInEffect: false })
  const [isLong, setIsLong] = useState(!isPhone)
  const form = useFilterDraft(filter, onChange)
  const { draft, times } = form
  const text = (name: 'token_name' | 'model_name' | 'username' | 'channel', label: string) => (
    <TextInput
      size="xs"
      label={label}
      value={draft[name]}
      onChange={(event) => form.setDraft({ [name]: event.currentTarget.value })}
      autoComplete="off"
      maxLength={200}
      {...(name === 'channel' && {
        inputMode: 'numeric' as const,
        error: isChannelId(draft.channel) ? undefined : t('log.filter.channelError'),
      })}
    />
  )
  const time = (name: 'start_timestamp' | 'end_timestamp', label: string) => (
    <DateTimeField
      size="xs"
      className={classes['time'] ?? ''}
      label={label}
      value={times[name]}
      onChange={(value) => form.setTimes({ [name]: value })}
      error={form.isReadable(times[name]) ? undefined : t('log.filter.timeError')}
    />
  )
  return (
    <form
      className={classes['filters']}
      aria-label={t('log.filter.label')}
      onSubmit={(event) => {
        event.preventDefault()
        form.submit()
      }}
    >
      <NativeSelect
        size="xs"
        label={t('log.filter.type')}
        value={TYPES.find((type) => LOG_TYPE[type] === draft.type) ?? 'all'}
        onChange={(event) => {
          const type = TYPES.find((name) => name === event.currentTarget.value) ?? 'all'
          form.apply({ type: LOG_TYPE[type] })
        }}
        data={TYPES.map((type) => ({ value: type, label: t(`log.type.${type}`) }))}
      />
      {isPhone && (
        <Button
          className={classes['more'] ?? ''}
          size="xs"
          variant="default"
          aria-expanded={isLong}
          onClick={() => setIsLong(!isLong)}
        >
          {t('log.filter.more')}
        </Button>
      )}
      {isLong && (
        <>
          {text('token_name', t('log.filter.token'))}
          {text('model_name', t('log.filter.model'))}
          {isAdmin && text('username', t('log.filter.username'))}
          {isAdmin && text('channel', t('log.filter.channel'))}
        </>
      )}
      <div className={classes['range']}>
        <span aria-hidden className={classes['label']}>
          {t('log.filter.range')}
        </span>
        <Choice
          label={t('log.filter.range')}
          options={RANGES.map((range) => ({ value: range, label: t(`log.filter.${range}`) }))}
          value={draft.range}
          onChange={form.pickRange}
        />
      </div>
      {draft.range === 'custom' && time('start_timestamp', t('log.filter.from'))}
      {draft.range === 'custom' && time('end_timestamp', t('log.filter.to'))}
      {(isLong || draft.range === 'custom') && (
        <div className={classes['buttons']}>
          <Button type="submit" size="xs">
            {t('log.filter.apply')}
          </Button>
        </div>
      )}
      <FilterChips filter={filter} onChange={form.replace} />
    </form>
  )
}
