import { useTranslation } from 'react-i18next'
import { type Channel, CHANNEL_STATUS } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/setup.ts'
import { formatDuration, formatTime } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { Cut } from '../../ui/cut.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import { NumberCell } from '../../ui/data-table/number-cell.tsx'
import { GroupTags } from '../../ui/group-tags.tsx'
import { Money } from '../../ui/money.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Time } from '../../ui/time.tsx'
import classes from './channels.module.css'
import { useChannelOrder } from './queries.ts'
import { responseColor } from './response-time.ts'
import { useIsTesting, useTestChannel } from './use-test-channel.ts'

function TypeTag({ type }: { type: number }) {
  const { t } = useTranslation()
  const descriptor = descriptorOf(type)
  return (
    <Tag color={descriptor?.color ?? 'gray'}>
      {descriptor?.name[currentLanguage()] ?? t('channel.list.unknownType', { type })}
    </Tag>
  )
}

function Status({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const { status, status_reason } = channel
  if (status === CHANNEL_STATUS.enabled) {
    return <StateDot tone="good" text={t('channel.list.enabled')} />
  }
  if (status === CHANNEL_STATUS.autoDisabled) {
    return <StateDot tone="bad" text={t('channel.list.autoDisabled')} reason={status_reason} />
  }
  if (status === CHANNEL_STATUS.disabled) {
    return <StateDot tone="off" text={t('channel.list.disabled')} />
  }
  return <StateDot tone="off" text={t('common.state.unknown')} />
}

function ResponseTime({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const test = useTestChannel()
  const isTesting = useIsTesting(channel.id)
  const { name, response_time, test_time } = channel
  const duration = response_time === 0 ? t('channel.list.untested') : formatDuration(response_time)
  const text = isTesting ? t('channel.list.testing') : duration
  const hint = t('channel.list.testNow', { name, time: formatTime(test_time) })
  return (
    <button
      type="button"
      className={classes['response']}
      data-tone={responseColor(response_time)}
      title={hint}
      aria-label={`${text}. ${hint}`}
      disabled={isTesting}
      onClick={() => test.mutate(channel)}
    >
      {text}
    </button>
  )
}

type OrderProps = { channel: Channel; field: 'priority' | 'weight' }

function OrderCell({ channel, field }: OrderProps) {
  const { t } = useTranslation()
  const order = useChannelOrder()
  return (
    <NumberCell
      label={t(`channel.list.${field}Of`, { name: channel.name })}
      value={channel[field]}
      {...(field === 'weight' && { min: 0 })}
      onSave={(value) => order.mutate({ id: channel.id, [field]: value })}
    />
  )
}

function Used({ quota }: { quota: number }) {
  return <Money quota={quota} settings={useMoney()} />
}

export const columns: readonly Column<Channel>[] = [
  { id: 'id', label: 'channel.column.id', sortable: true, shown: 'wide', cell: ({ id }) => id },
  {
    id: 'name',
    label: 'channel.column.name',
    sortable: true,
    shown: 'always',
    cell: ({ name }) => <Cut text={name} width={220} />,
  },
  {
    id: 'group',
    label: 'channel.column.group',
    shown: 'wide',
    cell: ({ group }) => <GroupTags group={group} />,
  },
  {
    id: 'type',
    label: 'channel.column.type',
    sortable: true,
    shown: 'wide',
    cell: ({ type }) => <TypeTag type={type} />,
  },
  {
    id: 'status',
    label: 'channel.column.status',
    sortable: true,
    cell: (channel) => <Status channel={channel} />,
  },
  {
    id: 'response_time',
    label: 'channel.column.response',
    align: 'right',
    sortable: true,
    cell: (channel) => <ResponseTime channel={channel} />,
  },
  {
    id: 'used_quota',
    label: 'channel.column.used',
    align: 'right',
    sortable: true,
    shown: 'wide',
    cell: ({ used_quota }) => <Used quota={used_quota} />,
  },
  {
    id: 'models',
    label: 'channel.column.models',
    shown: 'optional',
    cell: ({ models }) => <Cut text={models} />,
  },
  {
    id: 'created_time',
    label: 'channel.column.created',
    shown: 'optional',
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
  {
    id: 'priority',
    label: 'channel.column.priority',
    align: 'right',
    sortable: true,
    cell: (channel) => <OrderCell channel={channel} field="priority" />,
  },
  {
    id: 'weight',
    label: 'channel.column.weight',
    align: 'right',
    sortable: true,
    shown: 'wide',
    cell: (channel) => <OrderCell channel={channel} field="weight" />,
  },
]
