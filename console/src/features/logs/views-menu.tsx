import { Button, Stack, TextInput } from '@mantine/core'
import { Bookmark, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Link, useLocation } from '../../lib/router/router.tsx'
import { getStored } from '../../lib/storage.ts'
import { showUndoable } from '../../lib/toast.ts'
import { useStored } from '../../lib/use-stored.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { LatePopover } from '../../ui/late-popover.tsx'
import classes from './logs.module.css'
import { readViews, type SavedView, withoutView, withView } from './saved-views.ts'

/** Filters, columns and order that this browser remembers by name. */
export function ViewsMenu() {
  const { t } = useTranslation()
  const { pathname, search } = useLocation()
  const [stored, setStored] = useStored('log_views')
  const [name, setName] = useState('')
  const views = readViews(stored)
  const save = (close: () => void) => {
    if (name.trim() === '') return
    setStored(withView(views, { name: name.trim(), search }))
    setName('')
    close()
  }
  const remove = (view: SavedView) => {
    setStored(withoutView(views, view.name))
    // Other views may have been saved or deleted meanwhile.
    const act = () => setStored(withView(readViews(getStored('log_views')), view))
    showUndoable(t('log.view.removed', { name: view.name }), { verb: t('common.action.undo'), act })
  }
  return (
    <LatePopover label={t('log.view.button')} icon={<Bookmark size={14} aria-hidden />}>
      {(close) => (
        <Stack gap="xs">
          {views.length === 0 && <span className={classes['counted']}>{t('log.view.none')}</span>}
          {views.length > 0 && (
            <ul className={classes['views']}>
              {views.map((view) => (
                <li key={view.name}>
                  <Link to={pathname + view.search} onClick={close}>
                    {view.name}
                  </Link>
                  <IconButton
                    aria-label={t('log.view.remove', { name: view.name })}
                    onClick={() => remove(view)}
                  >
                    <Trash2 size={14} aria-hidden />
                  </IconButton>
                </li>
              ))}
            </ul>
          )}
          <form
            className={classes['saveView']}
            onSubmit={(event) => {
              event.preventDefault()
              save(close)
            }}
          >
            <TextInput
              size="xs"
              label={t('log.view.name')}
              value={name}
              maxLength={40}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" size="xs">
              {t('log.view.save')}
            </Button>
          </form>
        </Stack>
      )}
    </LatePopover>
  )
}
