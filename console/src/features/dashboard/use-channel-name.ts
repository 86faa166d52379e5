import type { ChannelStat } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'

export function useChannelName() {
  const { t } = useTranslation()
  return ({ channel_id, name }: Pick<ChannelStat, 'channel_id' | 'name'>) =>
    name === '' ? t('dashboard.cell.deletedChannel', { id: channel_id }) : name
}
