import { useTranslation } from 'react-i18next'
import type { ChannelStat } from '@tollgate/contract'

export function useChannelName() {
  const { t } = useTranslation()
  return ({ channel_id, name }: Pick<ChannelStat, 'channel_id' | 'name'>) =>
    name === '' ? t('dashboard.cell.deletedChannel', { id: channel_id }) : name
}
