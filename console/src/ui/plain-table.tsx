import type { ReactNode } from 'react'
import classes from './plain-table.module.css'

/** A table that scrolls sideways inside its frame. Its section may have the same name. */
export function PlainTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      className={classes['frame']}
      role="group"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable
      tabIndex={0}
    >
      <table className={classes['table']} aria-label={label}>
        {children}
      </table>
    </div>
  )
}
