import { type Log, LOG_TYPE, resultOf } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatDuration, formatNumber, formatTime, NO_VALUE } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import type { Column, CsvColumn } from '../../ui/data-table/column.ts'
import { Money } from '../../ui/money.tsx'
import { OutcomeDot } from '../../ui/outcome-dot.tsx'
import { Outcome } from '../../ui/outcome.tsx'
import type { TagColor } from '../../ui/palette.ts'
import { Tag } from '../../ui/tag.tsx'
import { Time } from '../../ui/time.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { useEndReason } from '../../ui/use-end-reason.ts'
import classes from './logs.module.css'

const TYPES = {
  [LOG_TYPE.topup]: { color: 'green', label: 'log.type.topup' },
  [LOG_TYPE.consume]: { color: 'gray', label: 'log.type.consume' },
  [LOG_TYPE.manage]: { color: 'orange', label: 'log.type.manage' },
  [LOG_TYPE.system]: { color: 'purple', label: 'log.type.system' },
} as const satisfies Record<number, { color: TagColor; label: string }>

const isKnown = (type: number): type is keyof typeof TYPES => type in TYPES

function TypeTag({ type }: { type: number }) {
  const { t } = useTranslation()
  if (!isKnown(type)) return <Tag color="gray">{t('log.type.unknown')}</Tag>
  return <Tag color={TYPES[type].color}>{t(TYPES[type].label)}</Tag>
}

/**
 * Phones hide the columns of type and outcome, so a row shows here what kind of entry it is if it
 * is no request, and its outcome with the reason if it was not answered.
 */
function Model({ log }: { log: Log }) {
  const { type, model_name, content } = log
  const reason = useEndReason(log.end_reason) || content
  if (model_name !== '') {
    const result = resultOf(log)
    return (
      <>
        <TruncatedText text={model_name} isMain />
        {result !== null && result !== 'answered' && (
          <small className={classes['onPhone']}>
            <OutcomeDot result={result} />
            {reason !== '' && (
              <>
                {' '}
                <TruncatedText text={reason} screenShare={45} />
              </>
            )}
          </small>
        )}
      </>
    )
  }
  return (
    <span className={classes['onPhone']}>
      <TypeTag type={type} />
    </span>
  )
}

/** In pixels: long names of channels and tokens leave room to the model. */
const OTHER_WIDTH = 160

const MARKS = { overruled: 'log.list.overruled', estimated: 'log.list.estimated' } as const

const isMarked = (source: Log['usage_source']): source is keyof typeof MARKS => source in MARKS

/** In pixels: the column is narrower. */
const CONTENT_WIDTH = 1000

function OutcomeCell({ log }: { log: Log }) {
  const { t } = useTranslation()
  const { usage_source: source } = log
  const result = resultOf(log)
  if (result === null) return <TruncatedText text={log.content || NO_VALUE} width={CONTENT_WIDTH} />
  const mark = isMarked(source) ? t(MARKS[source]) : ''
  const price = log.default_price ? t('log.list.defaultPrice') : ''
  return <Outcome log={log} result={result} notes={[mark, price]} />
}

function Charged({ log }: { log: Log }) {
  const money = useMoney()
  return log.quota === 0 ? NO_VALUE : <Money quota={log.quota} column="quota" settings={money} />
}

const tokens = (log: Log, count: number) =>
  log.type === LOG_TYPE.consume ? formatNumber(count) : NO_VALUE

const forEveryone: readonly Column<Log>[] = [
  {
    id: 'token_name',
    label: 'log.column.token',
    shown: 'wide',
    csv: ({ token_name }) => token_name,
    cell: ({ token_name }) => <TruncatedText text={token_name} width={OTHER_WIDTH} />,
  },
  {
    id: 'type',
    label: 'log.column.type',
    shown: 'optional',
    csv: ({ type }) => type,
    cell: ({ type }) => <TypeTag type={type} />,
  },
  {
    id: 'model_name',
    label: 'log.column.model',
    shown: 'always',
    flexible: true,
    csv: ({ model_name }) => model_name,
    cell: (log) => <Model log={log} />,
  },
  {
    id: 'prompt_tokens',
    label: 'log.column.prompt',
    sortable: true,
    align: 'right',
    shown: 'wide',
    csv: ({ prompt_tokens }) => prompt_tokens,
    cell: (log) => tokens(log, log.prompt_tokens),
  },
  {
    id: 'completion_tokens',
    label: 'log.column.completion',
    sortable: true,
    align: 'right',
    shown: 'wide',
    csv: ({ completion_tokens }) => completion_tokens,
    cell: (log) => tokens(log, log.completion_tokens),
  },
  {
    id: 'quota',
    label: 'log.column.quota',
    sortable: true,
    align: 'right',
    shown: 'always',
    csv: ({ quota }) => quota,
    amount: ({ quota }) => quota,
    cell: (log) => <Charged log={log} />,
  },
  {
    id: 'elapsed_time',
    label: 'log.column.elapsed',
    sortable: true,
    align: 'right',
    shown: 'wide',
    csv: ({ elapsed_time }) => elapsed_time,
    cell: ({ elapsed_time }) => (elapsed_time === 0 ? NO_VALUE : formatDuration(elapsed_time)),
  },
  {
    id: 'outcome',
    label: 'log.column.outcome',
    shown: 'wide',
    fills: true,
    csv: (log) => `${resultOf(log) ?? ''} ${log.end_reason}`.trim(),
    cell: (log) => <OutcomeCell log={log} />,
  },
  {
    id: 'content',
    label: 'log.column.content',
    shown: 'optional',
    csv: ({ content }) => content,
    cell: ({ content }) => <TruncatedText text={content} width={280} />,
  },
  {
    id: 'group',
    label: 'log.column.group',
    shown: 'optional',
    csv: ({ group }) => group,
    cell: ({ group }) => <TruncatedText text={group} />,
  },
  {
    id: 'request_id',
    label: 'log.column.request',
    shown: 'optional',
    csv: ({ request_id }) => request_id,
    cell: ({ request_id }) => <TruncatedText text={request_id} />,
  },
]

const time: Column<Log> = {
  id: 'id',
  label: 'log.column.time',
  sortable: true,
  shown: 'always',
  csv: ({ created_at }) => formatTime(created_at),
  cell: ({ created_at }) => <Time seconds={created_at} />,
}

/** A deleted channel has no name and no page. */
function ChannelLink({ log: { channel, channel_name } }: { log: Log }) {
  if (channel === 0) return NO_VALUE
  if (channel_name === '') return `#${channel}`
  return (
    <Link to={`/channel/${channel}`} title={`#${channel}`}>
      <TruncatedText text={channel_name} width={OTHER_WIDTH} />
    </Link>
  )
}

const forAdmins: readonly Column<Log>[] = [
  {
    id: 'channel',
    label: 'log.column.channel',
    shown: 'wide',
    csv: ({ channel, channel_name }) => channel_name || channel,
    cell: (log) => <ChannelLink log={log} />,
  },
  {
    id: 'username',
    label: 'log.column.username',
    shown: 'wide',
    csv: ({ username }) => username,
    cell: ({ username }) => <TruncatedText text={username} />,
  },
]

/** Spreadsheets round request ids, which are 30 digits. The query field takes these words. */
export const csvColumns: readonly CsvColumn<Log>[] = [
  {
    label: 'log.column.search',
    csv: ({ request_id }) => (request_id === '' ? '' : `request:${request_id}`),
  },
]

export const ownColumns: readonly Column<Log>[] = [time, ...forEveryone]

export const adminColumns: readonly Column<Log>[] = [time, ...forAdmins, ...forEveryone]
