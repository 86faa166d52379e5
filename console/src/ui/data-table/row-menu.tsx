import { Ellipsis } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { IconMenu } from '../icon-menu.tsx'
import type { RowAction } from './column.ts'
import classes from './data-table.module.css'

/** The `⋯` menu of a row. Unavailable actions stay readable with their reason. */
export function RowMenu({ name, actions }: { name: string; actions: () => readonly RowAction[] }) {
  const { t } = useTranslation()
  return (
    <IconMenu
      size={28}
      aria-label={t('common.table.actionsOf', { name })}
      icon={<Ellipsis size={16} aria-hidden />}
      data-row-menu
    >
      {(focus, { Menu }) =>
        actions().map(({ label, onSelect, danger = false, reason = null }) => (
          <Menu.Item
            key={label}
            onClick={reason === null ? () => select(onSelect, focus) : undefined}
            closeMenuOnClick={reason === null}
            // Not `disabled`: the keyboard would then skip the item and its reason.
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
        ))
      }
    </IconMenu>
  )
}

/** Focus returns to the row first, so that a dialog can restore it there. */
function select(action: () => void, focus: () => void) {
  focus()
  action()
}
