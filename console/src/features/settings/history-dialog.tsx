import { Modal } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type EndpointData, isOptionKey, optionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { useMoney } from '../../lib/status.ts'
import type { TableSearch } from '../../lib/table-search.ts'
import type { Column } from '../../ui/data-table/column.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Time } from '../../ui/time.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { labelOf } from './field-props.ts'
import { optionValueText } from './option-value.ts'
import classes from './settings.module.css'
import './waiting.messages.ts'

type OptionChange = EndpointData<typeof optionEndpoints.listOptionChanges>[number]

const COLUMNS: readonly Column<OptionChange>[] = [
  {
    id: 'created_at',
    label: 'settings.history.time',
    shown: 'wide',
    cell: ({ created_at }) => <Time seconds={created_at} />,
  },
  {
    id: 'actor',
    label: 'settings.history.who',
    shown: 'wide',
    cell: (change) => (
      <div className={classes['actor']}>
        {change.actor_name}
        <Confirmation change={change} />
      </div>
    ),
  },
  {
    id: 'key',
    label: 'settings.history.option',
    shown: 'always',
    cell: (change) => (
      <div className={classes['change']}>
        <TruncatedText text={nameOf(change.key)} width={260} screenShare={75} />
        <Below change={change} />
      </div>
    ),
  },
  {
    id: 'before',
    label: 'settings.history.before',
    shown: 'wide',
    cell: ({ key, before }) => (
      <span className={classes['before']}>
        <Value of={key} value={before} width={250} />
      </span>
    ),
  },
  {
    id: 'after',
    label: 'settings.history.after',
    shown: 'wide',
    cell: ({ key, after }) => <Value of={key} value={after} width={250} />,
  },
]

function Value({ of: key, value, width }: { of: string; value: string; width: number }) {
  const money = useMoney()
  return <TruncatedText text={optionValueText(key, value, money)} width={width} />
}

/** On phones: the remaining columns below the name. */
function Below({ change }: { change: OptionChange }) {
  const money = useMoney()
  const shown = (value: string) => optionValueText(change.key, value, money)
  return (
    <span className={classes['below']}>
      <TruncatedText text={`${shown(change.before)} → ${shown(change.after)}`} screenShare={75} />
      <span className={classes['who']}>
        <Time seconds={change.created_at} />
        <span>{change.actor_name}</span>
      </span>
      <Confirmation change={change} />
    </span>
  )
}

function Confirmation({ change }: { change: OptionChange }) {
  const { t } = useTranslation()
  const { confirmed, confirmed_by: name, confirmed_at: at } = change
  if (confirmed && name === '') return null
  return (
    <span className={classes['confirmation']} title={confirmed ? formatTime(at) : undefined}>
      {confirmed ? t('waiting.confirmed', { name }) : t('waiting.unconfirmed')}
    </span>
  )
}

const nameOf = (key: string) => (isOptionKey(key) ? `${labelOf(key)} (${key})` : key)

const FIRST_PAGE: TableSearch = {
  p: 0,
  size: 20,
  sort: null,
  order: 'desc',
  keyword: '',
  hidden: null,
}

export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const [search, setSearch] = useState(FIRST_PAGE)
  const { p, size } = search
  const query = useQuery({
    queryKey: ['option-changes', p, size],
    queryFn: ({ signal }) =>
      call(optionEndpoints.listOptionChanges, { query: { p, size } }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { quiet: true },
  })
  return (
    <Modal
      opened
      size={1080}
      classNames={{ body: classes['history'] ?? '' }}
      onClose={onClose}
      title={t('settings.history.title')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <DataTable<OptionChange>
        label={t('settings.history.title')}
        columns={COLUMNS}
        state={{
          rows: query.data?.data,
          total: query.data?.total ?? null,
          error: query.error === null ? null : errorText(query.error),
          isStale: query.isPlaceholderData,
          retry: () => void query.refetch(),
        }}
        search={search}
        onSearch={(change) => setSearch((current) => ({ ...current, p: 0, ...change }))}
        rowId={({ id }) => String(id)}
        rowName={({ id, key }) => `${nameOf(key)} #${id}`}
        isFiltered={false}
        onClearFilters={() => setSearch(FIRST_PAGE)}
        empty={<Empty title={t('settings.history.empty')} body={t('settings.history.emptyHint')} />}
      />
    </Modal>
  )
}
