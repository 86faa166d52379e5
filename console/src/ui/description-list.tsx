import type { ReactNode } from 'react'
import classes from './description-list.module.css'

/** Description list with one name-value pair per line. */
export function Facts({ items }: { items: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className={classes['facts']}>
      {items.map(({ name, value }) => (
        <div key={name} className={classes['pair']}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
