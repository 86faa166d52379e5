import { useQuery } from '@tanstack/react-query'
import { type CatalogModel, channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { useIsAdmin } from '../../lib/session.ts'
import { LateSelect } from '../../ui/late-select.tsx'
import classes from './play.module.css'
import type { Side } from './stored-play.ts'

type Props = {
  /** Names the side while two are compared; else empty. */
  name: string
  side: Side
  models: readonly CatalogModel[]
  onChange: (part: Partial<Side>) => void
}

export function SidePicker({ name, side, models, onChange }: Props) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const label = name === '' ? t('play.side.model') : t('play.side.modelOf', { side: name })
  return (
    <div className={classes['side']}>
      <LateSelect
        label={label}
        data={models.map(({ id }) => id)}
        value={side.model}
        allowDeselect={false}
        searchable
        nothingFoundMessage={t('common.form.noResults')}
        // Another model may have other channels.
        onChange={(model) => model !== null && onChange({ model, channel: null })}
      />
      {isAdmin && <ChannelPicker name={name} side={side} onChange={onChange} />}
    </div>
  )
}

const CHANNELS_SHOWN = 100

/** Administrators may name the channel that answers. */
function ChannelPicker({ name, side, onChange }: Omit<Props, 'models'>) {
  const { t } = useTranslation()
  const { data = [] } = useQuery({
    queryKey: ['channels', 'play', side.model],
    queryFn: async ({ signal }) => {
      const query = { model: side.model, size: CHANNELS_SHOWN }
      return (await call(channelEndpoints.listChannels, { query }, signal)).data
    },
    enabled: side.model !== '',
  })
  const label = name === '' ? t('play.side.channel') : t('play.side.channelOf', { side: name })
  return (
    <LateSelect
      label={label}
      placeholder={t('play.side.anyChannel')}
      data={data.map(({ id, name: channel }) => ({ value: String(id), label: channel }))}
      value={side.channel === null ? null : String(side.channel)}
      clearable
      searchable
      nothingFoundMessage={t('common.form.noResults')}
      onChange={(id) => onChange({ channel: id === null ? null : Number(id) })}
    />
  )
}
