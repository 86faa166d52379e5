import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { useOptionContext } from './option-context.ts'
import { parseRows } from './record-rows.ts'

const GROUP_DEFAULT = 'default'

const loadDialog = async () => (await import('./move-dialog.tsx')).MoveDialog

/** Renames a group, or moves its users and channels to another one. */
export function MoveGroup() {
  const { t } = useTranslation()
  const { stored } = useOptionContext()
  const [isOpen, setIsOpen] = useState(false)
  const groups = (parseRows(stored['GroupRatio'] ?? '') ?? [])
    .map(([name]) => name)
    .filter((name) => name !== GROUP_DEFAULT)
  const close = () => setIsOpen(false)
  if (groups.length === 0) return null
  return (
    <>
      <Button mt="sm" ml="sm" size="compact-sm" variant="default" onClick={() => setIsOpen(true)}>
        {t('settings.group.move')}
      </Button>
      {isOpen && (
        <LazyPart
          name="move-group"
          load={loadDialog}
          props={{ groups, onClose: close }}
          onFail={close}
        />
      )}
    </>
  )
}
