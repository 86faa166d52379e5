import { Button, Menu } from '@mantine/core'
import { ChevronDown, Ellipsis, RefreshCw } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useAllChannels } from './use-all-channels.ts'

export type ChannelsDialog = 'route' | 'export' | 'import'

type Props = {
  onTest: (scope: 'all' | 'disabled') => void
  onOpen: (dialog: ChannelsDialog) => void
}

export function AllChannelsActions({ onTest, onOpen }: Props) {
  const { t } = useTranslation()
  const changes = useAllChannels()
  return (
    <>
      <IconButton
        size={32}
        isOutlined
        aria-label={t('common.action.refresh')}
        aria-busy={changes.isRefreshing}
        onClick={changes.refresh}
      >
        <RefreshCw size={14} aria-hidden />
      </IconButton>
      <Menu>
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={14} aria-hidden />}>
            {t('channel.bulk.test')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onTest('all')}>{t('channel.bulk.testAll')}</Menu.Item>
          <Menu.Item onClick={() => onTest('disabled')}>{t('channel.bulk.testDisabled')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Menu>
        <Menu.Target>
          <IconButton size={32} isOutlined aria-label={t('channel.bulk.more')}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onOpen('route')}>{t('channel.bulk.route')}</Menu.Item>
          <Menu.Item onClick={changes.askBalances}>{t('channel.bulk.balances')}</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => onOpen('export')}>{t('channel.bulk.export')}</Menu.Item>
          <Menu.Item onClick={() => onOpen('import')}>{t('channel.bulk.import')}</Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" onClick={() => void changes.deleteDisabled()}>
            {t('channel.bulk.deleteDisabled')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
