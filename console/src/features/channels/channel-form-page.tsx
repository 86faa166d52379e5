import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import { type Channel, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { errorText } from '../../lib/report-error.ts'
import { showSuccess } from '../../lib/toast.ts'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ChannelForm } from './channel-form.tsx'
import { type ChannelValues, draftOf, newChannelValues, valuesOf } from './channel-values.ts'
import { channelQuery, useChannelChange } from './queries.ts'

export function ChannelFormPage() {
  const id = useParams()['id']
  return id === undefined ? <AddChannel /> : <LoadChannel key={id} id={Number(id)} />
}

function AddChannel() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const create = useChannelChange((values: ChannelValues) =>
    call(channelEndpoints.createChannels, { body: draftOf(values) }),
  )
  return (
    <Page title={t('channelTitle.add')} width="form">
      <ChannelForm
        isNew
        initial={newChannelValues}
        isSaving={create.isPending}
        onSave={(values, allowLeave) =>
          create.mutate(values, {
            onSuccess: () => {
              allowLeave()
              void navigate('/channel')
              showSuccess(t('channel.form.created'))
            },
          })
        }
      />
    </Page>
  )
}

function LoadChannel({ id }: { id: number }) {
  const { t } = useTranslation()
  const channel = useQuery(channelQuery(id))
  if (channel.error && !channel.data) {
    return (
      <Failed
        title={t('channelTitle.edit')}
        message={errorText(channel.error)}
        onRetry={() => void channel.refetch()}
      />
    )
  }
  if (!channel.data) return <Loading page={t('channelTitle.edit')} />
  return <EditChannel channel={channel.data} />
}

function EditChannel({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const save = useChannelChange((values: ChannelValues) =>
    call(channelEndpoints.updateChannel, { body: { id: channel.id, ...draftOf(values) } }),
  )
  return (
    <Page title={t('channel.form.editTitleNamed', { name: channel.name })} width="form">
      <ChannelForm
        isNew={false}
        initial={valuesOf(channel)}
        isSaving={save.isPending}
        onSave={(values, allowLeave) =>
          save.mutate(values, {
            onSuccess: () => {
              allowLeave()
              void navigate('/channel')
              showSuccess(t('channel.form.saved'))
            },
          })
        }
      />
    </Page>
  )
}
