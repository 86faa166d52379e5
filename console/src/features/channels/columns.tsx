import { type Channel, CHANNEL_STATUS } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { t, currentLanguage } from '../../i18n/texts.ts'
import { csvTime } from '../../lib/csv.ts'
import { formatDuration } from '../../lib/format.ts'
import { successText } from '../../lib/success.ts'
import type { Column } from '../../ui/data-table/column.ts'
import { GroupTags } from '../../ui/group-tags.tsx'
import { MarginCell } from '../../ui/margin.tsx'
import { Time } from '../../ui/time.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { balanceText } from './balance.ts'
import {
  BalanceCell,
  NameCell,
  OrderCell,
  ResponseCell,
  StatusCell,
  SuccessCell,
  Used,
} from './cells.tsx'
import { HealthCell } from './health-cell.tsx'
import { testState } from './response-time.ts'
import { TypeTag } from './type-tag.tsx'

const { enabled, disabled, autoDisabled } = CHANNEL_STATUS

function csvStatus({ status, status_reason }: Channel): string {
  if (status === enabled) return t('channel.list.enabled')
  if (status === disabled) return t('channel.list.disabled')
  if (status !== autoDisabled) return t('common.state.unknown')
  return `${t('channel.list.autoDisabled')}: ${status_reason}`
}

function csvResponse(channel: Channel): string {
  const { word } = testState(channel)
  if (word === null) return formatDuration(channel.response_time)
  const parts = [t(`channel.list.${word}`), channel.test_error]
  return parts.filter((part) => part !== '').join(': ')
}

export const columns: readonly Column<Channel>[] = [
  {
    id: 'id',
    label: 'channel.column.id',
    sortable: true,
    shown: 'wide',
    csv: ({ id }) => id,
    cell: ({ id }) => id,
  },
  {
    id: 'name',
    label: 'channel.column.name',
    sortable: true,
    shown: 'always',
    flexible: true,
    csv: ({ name }) => name,
    cell: (channel) => <NameCell channel={channel} />,
  },
  {
    id: 'health',
    label: 'channel.health.column',
    sortable: true,
    csv: ({ health: { word, reason } }) => `${t(`channel.health.${word}`)}: ${reason}`,
    cell: (channel) => <HealthCell channel={channel} />,
  },
  {
    id: 'group',
    label: 'channel.column.group',
    sortable: true,
    shown: 'optional',
    csv: ({ group }) => group,
    cell: ({ group }) => <GroupTags group={group} />,
  },
  {
    id: 'tag',
    label: 'channel.tag.label',
    sortable: true,
    shown: 'optional',
    csv: ({ tag }) => tag,
    cell: ({ tag }) => <TruncatedText text={tag} />,
  },
  {
    id: 'type',
    label: 'channel.column.type',
    sortable: true,
    shown: 'wide',
    csv: ({ type }) => descriptorOf(type)?.name[currentLanguage()] ?? type,
    cell: ({ type }) => <TypeTag type={type} />,
  },
  {
    id: 'status',
    label: 'channel.column.status',
    sortable: true,
    shown: 'optional',
    csv: csvStatus,
    cell: ({ status }) => <StatusCell status={status} />,
  },
  {
    id: 'response_time',
    label: 'channel.column.response',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: csvResponse,
    cell: (channel) => <ResponseCell channel={channel} />,
  },
  {
    id: 'success',
    label: 'channel.column.success',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ health: { attempts, faults } }) =>
      successText({ requests: attempts, failures: faults }),
    cell: (channel) => <SuccessCell health={channel.health} />,
  },
  {
    id: 'used_quota',
    label: 'channel.column.used',
    align: 'right',
    sortable: true,
    shown: 'optional',
    csv: ({ used_quota }) => used_quota,
    amount: ({ used_quota }) => used_quota,
    cell: ({ used_quota }) => <Used quota={used_quota} />,
  },
  {
    id: 'margin',
    label: 'margin.days',
    align: 'right',
    sortable: true,
    shown: 'wide',
    cell: ({ id }) => <MarginCell by="channel" of={id} />,
  },
  {
    id: 'balance',
    label: 'channel.column.balance',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: (channel) => balanceText(channel) ?? t('channel.list.balanceUnsupported'),
    cell: (channel) => <BalanceCell channel={channel} />,
  },
  {
    id: 'models',
    label: 'channel.column.models',
    sortable: true,
    shown: 'optional',
    csv: ({ models }) => models,
    cell: ({ models }) => <TruncatedText text={models} />,
  },
  {
    id: 'test_time',
    label: 'channel.column.tested',
    sortable: true,
    shown: 'optional',
    csv: ({ test_time }) => csvTime(test_time),
    cell: ({ test_time }) => <Time seconds={test_time} />,
  },
  {
    id: 'created_time',
    label: 'channel.column.created',
    sortable: true,
    shown: 'optional',
    csv: ({ created_time }) => csvTime(created_time),
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
  {
    id: 'priority',
    label: 'channel.column.priority',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ priority }) => priority,
    cell: (channel) => <OrderCell channel={channel} field="priority" />,
  },
  {
    id: 'weight',
    label: 'channel.column.weight',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ weight }) => weight,
    cell: (channel) => <OrderCell channel={channel} field="weight" />,
  },
]
