import type { ReactNode } from 'react'
import classes from './plain-table.module.css'

type Props = { items: readonly (readonly [label: string, value: ReactNode])[] }

/** Below the name of a row on phones, in place of the columns that have `data-wide`. */
export function Brief({ items }: Props) {
  return (
    <span className={classes['brief']}>
      {items.map(([label, value]) => (
        <span key={label}>
          {label} {value}
        </span>
      ))}
    </span>
  )
}
