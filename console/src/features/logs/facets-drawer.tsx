import { Drawer } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Facets } from './facets.tsx'

type Props = { isOpen: boolean; onClose: () => void; facets: ComponentProps<typeof Facets> }

export function FacetsDrawer({ isOpen, onClose, facets }: Props) {
  const { t } = useTranslation()
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="bottom"
      size="75%"
      title={t('log.facet.label')}
      closeButtonProps={{ 'aria-label': t('common.action.close'), size: 44, iconSize: 20 }}
      transitionProps={{ duration: 120 }}
    >
      {isOpen && <Facets {...facets} />}
    </Drawer>
  )
}
