import type { Channel } from '@tollgate/contract'
import { Cut } from '../../ui/cut.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import { GroupTags } from '../../ui/group-tags.tsx'
import { Time } from '../../ui/time.tsx'
import { BalanceCell, OrderCell, ResponseCell, StatusCell, SuccessCell, Used } from './cells.tsx'
import { TypeTag } from './type-tag.tsx'

export const columns: readonly Column<Channel>[] = [
  { id: 'id', label: 'channel.column.id', sortable: true, shown: 'wide', cell: ({ id }) => id },
  {
    id: 'name',
    label: 'channel.column.name',
    sortable: true,
    shown: 'always',
    cell: ({ name }) => <Cut text={name} width={180} screenShare={36} />,
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
    cell: (channel) => <StatusCell channel={channel} />,
  },
  {
    id: 'response_time',
    label: 'channel.column.response',
    align: 'right',
    sortable: true,
    cell: (channel) => <ResponseCell channel={channel} />,
  },
  {
    id: 'success',
    label: 'channel.column.success',
    align: 'right',
    shown: 'wide',
    cell: ({ id }) => <SuccessCell id={id} />,
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
    id: 'balance',
    label: 'channel.column.balance',
    align: 'right',
    sortable: true,
    shown: 'wide',
    cell: (channel) => <BalanceCell channel={channel} />,
  },
  {
    id: 'models',
    label: 'channel.column.models',
    shown: 'optional',
    cell: ({ models }) => <Cut text={models} />,
  },
  {
    id: 'test_time',
    label: 'channel.column.tested',
    shown: 'optional',
    cell: ({ test_time }) => <Time seconds={test_time} />,
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
    shown: 'wide',
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
