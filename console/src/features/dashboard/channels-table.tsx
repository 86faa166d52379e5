import { useMemo } from 'react'
import type { ChannelStat } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatDuration, NO_VALUE } from '../../lib/format.ts'
import { slotsOf, type Span } from '../../ui/chart/span.ts'
import { Sparkline } from '../../ui/chart/sparkline.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import { MarginCell } from '../../ui/margin.tsx'
import { figureColumns, LogLink, NameLink, Spend } from './cells.tsx'
import { FigureTable } from './figure-table.tsx'
import { latencyOf } from './figures.ts'
import { logPath } from './log-path.ts'
import type { LoadedChannels } from './queries.ts'
import { useChannelName } from './use-channel-name.ts'

const duration = (milliseconds: number | null) =>
  milliseconds === null ? NO_VALUE : formatDuration(milliseconds)

type Props = { loaded: LoadedChannels | undefined; isStale: boolean }

export function ChannelsTable({ loaded, isStale }: Props) {
  const { t } = useTranslation()
  const span = loaded?.span
  const rows = loaded?.channels
  const columns = useMemo(() => columnsOf(span), [span])
  return (
    <FigureTable
      label={t('dashboard.table.channels')}
      columns={columns}
      rows={rows}
      rowId={({ channel_id }) => String(channel_id)}
      isStale={isStale}
    />
  )
}

const columnsOf = (span: Span | undefined): Column<ChannelStat>[] => [
  {
    id: 'name',
    label: 'dashboard.column.channel',
    cell: (channel) => <ChannelName channel={channel} />,
  },
  ...figureColumns('attempts'),
  {
    id: 'margin',
    shown: 'optional',
    label: 'margin.label',
    align: 'right',
    cell: ({ channel_id }) => <MarginCell by="channel" of={channel_id} />,
  },
  {
    id: 'unbilled_quota',
    shown: 'optional',
    label: 'dashboard.column.unbilled',
    align: 'right',
    amount: ({ unbilled_quota }) => unbilled_quota,
    cell: ({ unbilled_quota }) => <Spend quota={unbilled_quota} column="unbilled_quota" />,
  },
  {
    id: 'latency_p50',
    shown: 'wide',
    label: 'dashboard.column.median',
    align: 'right',
    cell: ({ latency_p50 }) => duration(latency_p50),
  },
  {
    id: 'course',
    shown: 'optional',
    label: 'dashboard.column.course',
    cell: (channel) => span && <LatencyTrend channel={channel} span={span} />,
  },
  {
    id: 'latency_p95',
    shown: 'optional',
    label: 'dashboard.column.slowest',
    align: 'right',
    cell: ({ latency_p95 }) => duration(latency_p95),
  },
  {
    id: 'first_token_p50',
    shown: 'optional',
    label: 'dashboard.column.firstToken',
    align: 'right',
    cell: ({ first_token_p50 }) => duration(first_token_p50),
  },
  {
    id: 'log',
    label: 'dashboard.column.log',
    cell: (channel) => span && <ChannelLog channel={channel} span={span} />,
  },
]

type CellProps = { channel: ChannelStat; span: Span }

function ChannelName({ channel }: Pick<CellProps, 'channel'>) {
  const nameOf = useChannelName()
  const name = nameOf(channel)
  if (channel.name === '') return name
  return <NameLink name={name} to={`/channel/edit/${channel.channel_id}`} />
}

function ChannelLog({ channel, span }: CellProps) {
  const nameOf = useChannelName()
  return <LogLink name={nameOf(channel)} to={logPath(span, { channel: channel.channel_id })} />
}

function LatencyTrend({ channel, span }: CellProps) {
  const { t } = useTranslation()
  const nameOf = useChannelName()
  const values = latencyOf(channel, span, slotsOf(span).length)
  const max = values.reduce<number>((greatest, value) => Math.max(greatest, value ?? 0), 0)
  const name = nameOf(channel)
  const label =
    max === 0
      ? t('dashboard.cell.courseNone', { name })
      : t('dashboard.cell.course', { name, most: formatDuration(max) })
  return <Sparkline values={values} label={label} />
}
