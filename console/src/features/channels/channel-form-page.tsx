import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Channel, channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { type ManagedMark, useManaged } from '../../lib/managed.ts'
import { confirmLosses } from '../../lib/price-check.ts'
import { errorText } from '../../lib/report-error.ts'
import { useNavigate, useParams, useSearchParams } from '../../lib/router/router.tsx'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ManagedNote } from '../../ui/managed-note.tsx'
import { Page } from '../../ui/page.tsx'
import { ChannelForm } from './channel-form.tsx'
import {
  type ChannelValues,
  copyOf,
  draftOf,
  editOf,
  newChannelValues,
  valuesOf,
} from './channel-values.ts'
import './form.messages.ts'
import { channelQuery, CHANNELS } from './queries.ts'

/** Adds a channel, copies a channel (`?from=`) or edits a channel. */
export function ChannelFormPage() {
  const id = useParams()['id']
  const [params] = useSearchParams()
  const from = params.get('from')
  if (id !== undefined) return <LoadChannel key={id} id={Number(id)} isCopy={false} />
  if (from !== null) return <LoadChannel key={`from ${from}`} id={Number(from)} isCopy />
  return <AddChannel initial={newChannelValues} />
}

function AddChannel({ initial }: { initial: ChannelValues }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const create = useChange(CHANNELS, async (values: ChannelValues) => {
    const body = draftOf(values)
    await confirmLosses({ channel: body })
    return call(channelEndpoints.createChannels, { body })
  })
  return (
    <Page title={t('channelTitle.add')} width="form">
      <ChannelForm
        stored={null}
        initial={initial}
        isSaving={create.isPending}
        onSave={(values, allowLeave) =>
          create.mutate(values, {
            onSuccess: ({ data }) => {
              allowLeave()
              // The list is sorted newest first, so the new rows are at the top.
              void navigate('/channel')
              const count = data.length
              showSuccess(
                count > 1 ? t('channelForm.createdMany', { count }) : t('channelForm.created'),
              )
            },
          })
        }
      />
    </Page>
  )
}

function LoadChannel({ id, isCopy }: { id: number; isCopy: boolean }) {
  const { t } = useTranslation()
  const channel = useQuery(channelQuery(id))
  const managed = useManaged()
  const title = t(isCopy ? 'channelTitle.add' : 'channelTitle.edit')
  if (channel.error && !channel.data) {
    return (
      <Failed
        title={title}
        message={errorText(channel.error)}
        onRetry={() => void channel.refetch()}
        list={{ path: '/channel', title: t('channelTitle.list') }}
      />
    )
  }
  if (!channel.data || managed.isPending) return <Loading page={title} />
  if (!isCopy) return <EditChannel channel={channel.data} mark={managed.ofChannel(id)} />
  const name = t('channelForm.copyOf', { name: channel.data.name })
  return <AddChannel initial={{ ...copyOf(channel.data), name }} />
}

function EditChannel({ channel, mark }: { channel: Channel; mark: ManagedMark | null }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const save = useChange(CHANNELS, async (values: ChannelValues) => {
    const body = { id: channel.id, ...editOf(values) }
    await confirmLosses({ channel: body })
    return call(channelEndpoints.updateChannel, { body })
  })
  return (
    <Page title={t('channelForm.editTitleNamed', { name: channel.name })} width="form">
      {mark && (
        <Box mb="md">
          <ManagedNote mark={mark} />
        </Box>
      )}
      <ChannelForm
        stored={channel}
        isLocked={mark?.isLocked === true}
        initial={valuesOf(channel)}
        isSaving={save.isPending}
        onSave={(values, allowLeave) =>
          save.mutate(values, {
            onSuccess: () => {
              allowLeave()
              void navigate('/channel')
              showSuccess(t('channelForm.saved'))
            },
          })
        }
      />
    </Page>
  )
}
