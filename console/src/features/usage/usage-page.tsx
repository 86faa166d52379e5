import { Button, NativeSelect } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import {
  type Exploration,
  EXPLORED_ROWS_MAX,
  hasUsageMetric,
  OWN_USAGE_DIMENSIONS,
  OWN_USAGE_METRICS,
  statEndpoints,
  USAGE_FILTERS,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { changeText } from '../../lib/change-text.ts'
import { errorText } from '../../lib/report-error.ts'
import { useNavigate, useSearchParams } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useIsAdmin } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { oneOf } from '../../lib/table-search.ts'
import { useOpenRange } from '../../lib/use-open-range.ts'
import { useZoneOfDays } from '../../lib/zone.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { OTHER, type Series } from '../../ui/chart/series.ts'
import { slotAt, slotsOf } from '../../ui/chart/span.ts'
import { Choice } from '../../ui/choice.tsx'
import { useKeptFocus } from '../../ui/data-table/use-kept-focus.ts'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { DateField } from './date-field.tsx'
import { areInLog, isInLog, logPath, timePath } from './log-path.ts'
import { UsageFilters } from './usage-filters.tsx'
import {
  dimensionsOf,
  metricsOf,
  nextDimension,
  parseUsageSearch,
  USAGE_RANGES,
  type UsageSearch,
  withUsageSearch,
} from './usage-search.ts'
import { type UsageSpan, usageSpan } from './usage-span.ts'
import { SaveUsage, UsageTable } from './usage-table.tsx'
import classes from './usage.module.css'
import { useFilterText, useRowName } from './use-row-name.ts'
import { chartKind, formatOf, valueText } from './values.ts'

export function UsagePage() {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const [params, setParams] = useSearchParams()
  const search = parseUsageSearch(params, isAdmin)
  // Dates change with each digit, which is a single step back.
  const change = (part: Change) =>
    setParams((current) => withUsageSearch(current, part), {
      replace: part.range === 'custom' && search.asked === 'custom',
    })
  const loaded = useExploration(search, isAdmin)
  // A click on a filter removes its button.
  const frame = useRef<HTMLDivElement>(null)
  const keptFocus = useKeptFocus({ frame, active: 0 })
  const narrow = (shown: UsageSearch, key: string) =>
    change({
      by: nextDimension(shown, isAdmin),
      filters: { ...shown.filters, [shown.by]: key },
    })
  return (
    <Page title={t('usageTitle.page')} width="table">
      <div ref={frame} tabIndex={-1} {...keptFocus}>
        <Choices search={search} isAdmin={isAdmin} onChange={change} />
        <UsageFilters
          filters={search.filters}
          named={loaded.data?.usage.filters}
          onChange={(filters) => change({ filters })}
        />
        <Figures loaded={loaded} onNarrow={narrow} />
      </div>
    </Page>
  )
}

type Change = Parameters<typeof withUsageSearch>[1]

type ChoicesProps = {
  search: UsageSearch
  isAdmin: boolean
  onChange: (part: Change) => void
}

function Choices({ search, isAdmin, onChange }: ChoicesProps) {
  const { t } = useTranslation()
  const dimensions = dimensionsOf(isAdmin, search.filters)
  const [isCustom, setIsCustom] = useOpenRange(search.asked)
  const isReversed = search.from !== '' && search.to !== '' && search.to < search.from
  return (
    <div className={classes['choices']}>
      <NativeSelect
        size="xs"
        label={t('usage.choice.metric')}
        value={search.metric}
        onChange={(event) => {
          const metric = metricsOf(isAdmin).find((name) => name === event.currentTarget.value)
          if (metric) onChange({ metric })
        }}
        data={metricsOf(isAdmin)
          .filter((metric) => hasUsageMetric(search.by, metric))
          .map((value) => ({ value, label: t(`usage.metric.${value}`) }))}
      />
      <NativeSelect
        size="xs"
        label={t('usage.choice.by')}
        value={search.by}
        onChange={(event) => {
          const by = dimensions.find((name) => name === event.currentTarget.value)
          if (by) onChange({ by })
        }}
        data={dimensions.map((value) => ({ value, label: t(`usage.by.${value}`) }))}
      />
      <div>
        <span aria-hidden className={classes['label']}>
          {t('usage.choice.range')}
        </span>
        <Choice
          label={t('usage.choice.range')}
          options={USAGE_RANGES.map((value) => ({ value, label: t(`usage.range.${value}`) }))}
          value={isCustom ? 'custom' : search.range}
          onChange={(range) => {
            setIsCustom(range === 'custom')
            if (range !== 'custom') onChange({ range })
          }}
        />
      </div>
      {isCustom && (
        <>
          <DateField
            label={t('usage.choice.from')}
            value={search.from}
            onChange={(from) => onChange({ from, range: 'custom' })}
          />
          <DateField
            label={t('usage.choice.to')}
            value={search.to}
            onChange={(to) => onChange({ to, range: 'custom' })}
            error={isReversed && t('usage.choice.reversed')}
          />
        </>
      )}
    </div>
  )
}

type Loaded = { usage: Exploration; at: UsageSpan; search: UsageSearch }

function useExploration(search: UsageSearch, isAdmin: boolean) {
  const zone = useZoneOfDays()
  return useQuery({
    queryKey: ['stat', 'explore', isAdmin, search, zone],
    queryFn: async ({ signal }): Promise<Loaded> => {
      const at = usageSpan(search, nowSeconds(), zone)
      const query = { ...at.query, ...search.filters, metric: search.metric, by: search.by }
      if (isAdmin) {
        return {
          usage: (await call(statEndpoints.exploreUsage, { query }, signal)).data,
          at,
          search,
        }
      }
      const own = {
        ...at.query,
        ...search.filters,
        metric: oneOf(OWN_USAGE_METRICS, search.metric) ?? 'quota',
        by: oneOf(OWN_USAGE_DIMENSIONS, search.by) ?? 'model',
      }
      const { data } = await call(statEndpoints.exploreOwnUsage, { query: own }, signal)
      return { usage: data, at, search }
    },
    placeholderData: keepPreviousData,
  })
}

type FiguresProps = {
  loaded: ReturnType<typeof useExploration>
  /** The search is that of the shown rows. */
  onNarrow: (search: UsageSearch, key: string) => void
}

function Figures({ loaded, onNarrow }: FiguresProps) {
  const { t } = useTranslation()
  const { data, error, isPlaceholderData, refetch } = loaded
  if (error && !data) {
    return (
      <Empty
        alert
        title={t('usage.failed')}
        body={errorText(error)}
        action={
          <Button variant="default" onClick={() => void refetch()}>
            {t('common.action.retry')}
          </Button>
        }
      />
    )
  }
  if (!data) return <div className={classes['waiting']} aria-busy />
  return <Explored loaded={data} isStale={isPlaceholderData} onNarrow={onNarrow} />
}

type ExploredProps = { loaded: Loaded; isStale: boolean; onNarrow: FiguresProps['onNarrow'] }

function Explored({ loaded, isStale, onNarrow }: ExploredProps) {
  const { t } = useTranslation()
  const money = useMoney()
  const { usage, at, search } = loaded
  const { metric, by } = search
  const slots = useMemo(() => slotsOf(at.span), [at])
  const otherName = t('chart.series.other')
  const rowName = useRowName()
  const series = useMemo(
    () => seriesOf(loaded, slots.length, { rowName, otherName }),
    [loaded, slots, rowName, otherName],
  )
  const inChart = formatOf(
    metric,
    money,
    series.flatMap(({ values }) => values),
  )
  const { format } = formatOf(metric, money, [
    usage.total,
    usage.previous,
    ...usage.rows.flatMap(({ value, previous }) => [value, previous]),
  ])
  // Small amounts of the table do not add digits to the total.
  const total = formatOf(metric, money, [usage.total, usage.previous])
  const change = changeText(usage.total, usage.previous)
  const navigate = useNavigate()
  const openLog = (slot: number, seriesId: string | null) => {
    const start = slots[slot]?.start ?? 0
    const end = slots[slot + 1]?.start ?? at.span.query.end_timestamp
    const row = usage.rows.find(({ key }) => idOf(key) === seriesId)
    const time = { start, end }
    const path = row
      ? logPath(row, search, time, usage.filters)
      : timePath(search, time, usage.filters)
    if (path !== null) void navigate(path)
  }
  const textOf = useFilterText()
  const whole = t('usage.chart.title', {
    metric: t(`usage.metric.${metric}`),
    by: t(`usage.by.${by}`).toLowerCase(),
  })
  const title = [whole, ...usage.filters.map(textOf)].join(' · ')
  const isNarrowable = USAGE_FILTERS.some(
    (name) => name === by && search.filters[name] === undefined,
  )
  return (
    <div className={classes['parts']}>
      <p className={classes['total']} aria-live="polite">
        <strong className="numbers">{valueText(usage.total, total.format)}</strong>{' '}
        {change === null
          ? t('usage.total.none')
          : t('usage.total.change', {
              change,
              previous: valueText(usage.previous, total.format),
            })}
      </p>
      <Chart
        kind={chartKind(metric)}
        label={title}
        slots={slots}
        series={series}
        {...inChart}
        nothing={t('usage.chart.nothing')}
        {...(areInLog(usage.filters) && { onChoose: openLog })}
        isStale={isStale}
      />
      <div className={classes['save']}>
        <SaveUsage usage={usage} search={search} title={title} />
      </div>
      <UsageTable
        usage={usage}
        search={search}
        at={at}
        format={format}
        onNarrow={isNarrowable ? (key) => onNarrow(search, key) : undefined}
      />
      {usage.more && (
        <p className={classes['most']}>{t('usage.table.most', { number: EXPLORED_ROWS_MAX })}</p>
      )}
    </div>
  )
}

const idOf = (key: string) => `key ${key}`

type Names = { rowName: ReturnType<typeof useRowName>; otherName: string }

/** The keys in the order of the server, then the rest. */
function seriesOf({ usage, at, search }: Loaded, count: number, names: Names): Series[] {
  const isLines = chartKind(search.metric) === 'lines'
  const keys = new Set(usage.buckets.map(({ key }) => key))
  const named = usage.rows.filter(({ key }) => key !== '' && keys.has(key))
  const valuesOf = (wanted: string) => {
    const values: (number | null)[] = Array.from({ length: count }, () => (isLines ? null : 0))
    for (const { key, start, value } of usage.buckets) {
      const slot = slotAt(at.span, start)
      if (key === wanted && slot >= 0 && slot < count) values[slot] = value
    }
    return values
  }
  const series = named.map((row) => ({
    id: idOf(row.key),
    name: names.rowName(search.by, row),
    values: valuesOf(row.key),
    isInert: !isInLog({ ...row, by: search.by }),
  }))
  // Requests without a key, such as rejected ones, may have no value at all.
  const rest = valuesOf('')
  if (rest.every((value) => value === null || value === 0)) return series
  return [...series, { id: OTHER, name: names.otherName, values: rest }]
}
