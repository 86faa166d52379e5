import { Button } from '@mantine/core'
import { ChevronDown, Ellipsis, RefreshCw } from 'lucide-react'
import type { TextKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { IconMenu } from '../../ui/icon-menu.tsx'
import { LateMenu } from '../../ui/late-menu.tsx'
import { useAllChannels } from './use-all-channels.ts'

export type ChannelsDialog = 'route' | 'export' | 'import'

type Props = {
  onTest: (scope: 'all' | 'disabled') => void
  onOpen: (dialog: ChannelsDialog) => void
}

/** Menus draw `red` in one shade, which is too dark for the dark scheme. */
const DANGER = 'var(--mantine-color-error)'

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
      <LateMenu
        button={(given) => (
          <Button {...given} variant="default" rightSection={<ChevronDown size={14} aria-hidden />}>
            {t('channel.bulk.test')}
          </Button>
        )}
      >
        {(_focus, { Menu }) => (
          <>
            <Menu.Item onClick={() => onTest('all')}>{t('channel.bulk.testAll')}</Menu.Item>
            <Menu.Item onClick={() => onTest('disabled')}>
              {t('channel.bulk.testDisabled')}
            </Menu.Item>
          </>
        )}
      </LateMenu>
      <IconMenu
        size={32}
        isOutlined
        aria-label={t('channel.bulk.more')}
        icon={<Ellipsis size={16} aria-hidden />}
      >
        {(focus, { Menu }) => {
          const item = (label: TextKey, act: () => void, color?: string) => (
            <Menu.Item
              {...(color !== undefined && { color })}
              onClick={() => {
                focus()
                act()
              }}
            >
              {t(label)}
            </Menu.Item>
          )
          return (
            <>
              {item('channel.bulk.route', () => onOpen('route'))}
              {item('channel.bulk.balances', changes.askBalances)}
              <Menu.Divider />
              {item('channel.bulk.export', () => onOpen('export'))}
              {item('channel.bulk.import', () => onOpen('import'))}
              <Menu.Divider />
              {item('channel.bulk.deleteDisabled', () => void changes.deleteDisabled(), DANGER)}
            </>
          )
        }}
      </IconMenu>
    </>
  )
}
