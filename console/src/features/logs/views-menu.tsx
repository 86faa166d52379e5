import { Button, Popover, Stack, TextInput } from '@mantine/core'
import { Bookmark, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Link, useLocation } from '../../lib/router/router.tsx'
import { useStored } from '../../lib/use-stored.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import classes from './logs.module.css'
import { readViews, withoutView, withView } from './saved-views.ts'

/** Filters, columns and order that this browser remembers by name. */
export function ViewsMenu() {
  const { t } = useTranslation()
  const { pathname, search } = useLocation()
  const [stored, setStored] = useStored('log_views')
  const [isOpen, setIsOpen] = useState(false)
  const [name, setName] = useState('')
  const views = readViews(stored)
  const save = () => {
    if (name.trim() === '') return
    setStored(withView(views, { name: name.trim(), search }))
    setName('')
    setIsOpen(false)
  }
  return (
    <Popover position="bottom-end" trapFocus returnFocus opened={isOpen} onChange={setIsOpen}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Bookmark size={14} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('log.view.button')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('log.view.button')}>
        <Stack gap="xs">
          {views.length === 0 && <span className={classes['counted']}>{t('log.view.none')}</span>}
          {views.length > 0 && (
            <ul className={classes['views']}>
              {views.map((view) => (
                <li key={view.name}>
                  <Link to={pathname + view.search} onClick={() => setIsOpen(false)}>
                    {view.name}
                  </Link>
                  <IconButton
                    aria-label={t('log.view.remove', { name: view.name })}
                    onClick={() => setStored(withoutView(views, view.name))}
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
              save()
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
      </Popover.Dropdown>
    </Popover>
  )
}
