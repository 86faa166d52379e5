import { ActionIcon, Menu } from '@mantine/core'
import { Ellipsis } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RowAction } from './column.ts'
import classes from './data-table.module.css'

/** The `⋯` of a row. What cannot be done stays readable and says why. */
export function RowMenu({ name, actions }: { name: string; actions: () => readonly RowAction[] }) {
  const { t } = useTranslation()
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  // Focus goes back to the row first, so that a dialog can return it there.
  const select = (action: () => void) => {
    trigger.current?.focus()
    action()
  }
  const openByArrow = (event: KeyboardEvent) => {
    if (isOpen || !['ArrowDown', 'ArrowUp'].includes(event.key)) return
    event.preventDefault()
    setIsOpen(true)
  }
  return (
    <Menu opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>
        <ActionIcon
          ref={trigger}
          size={28}
          aria-label={t('common.table.actionsOf', { name })}
          onKeyDown={openByArrow}
          data-row-menu
        >
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isOpen &&
          actions().map(({ label, onSelect, danger = false, reason = null }) => (
            <Menu.Item
              key={label}
              onClick={reason === null ? () => select(onSelect) : undefined}
              closeMenuOnClick={reason === null}
              // The menu's own `disabled` would keep the keyboard, and so the reason, away from it.
              renderRoot={(props) => (
                <button {...props} type="button" aria-disabled={reason !== null} />
              )}
              className={classes['action'] ?? ''}
              data-danger={danger || undefined}
              data-blocked={reason !== null || undefined}
            >
              {label}
              {reason !== null && <span className={classes['reason']}>{reason}</span>}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
