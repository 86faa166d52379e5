import { Button } from '@mantine/core'
import { ListFilter } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import type { Facets } from './facets.tsx'
import classes from './logs.module.css'

const loadDrawer = async () => (await import('./facets-drawer.tsx')).FacetsDrawer

/** The facets of narrow screens. */
export function FacetsSheet(facets: ComponentProps<typeof Facets>) {
  const { t } = useTranslation()
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  return (
    <>
      <Button
        className={classes['sheetButton'] ?? ''}
        variant="default"
        leftSection={<ListFilter size={14} aria-hidden />}
        onClick={() => setState('open')}
      >
        {t('log.facet.open')}
      </Button>
      {state !== 'unused' && (
        <LazyPart
          name={t('log.facet.open')}
          load={loadDrawer}
          props={{ isOpen: state === 'open', onClose: () => setState('closed'), facets }}
          onFail={() => setState('unused')}
        />
      )}
    </>
  )
}
