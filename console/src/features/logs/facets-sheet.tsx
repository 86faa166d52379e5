import { Button, Drawer } from '@mantine/core'
import { ListFilter } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Facets } from './facets.tsx'
import classes from './logs.module.css'

/** The facets of narrow screens. */
export function FacetsSheet(props: ComponentProps<typeof Facets>) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        className={classes['sheetButton'] ?? ''}
        variant="default"
        leftSection={<ListFilter size={14} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        {t('log.facet.open')}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        position="bottom"
        size="75%"
        title={t('log.facet.label')}
        closeButtonProps={{ 'aria-label': t('common.action.close'), size: 44, iconSize: 20 }}
        transitionProps={{ duration: 120 }}
      >
        {isOpen && <Facets {...props} />}
      </Drawer>
    </>
  )
}
