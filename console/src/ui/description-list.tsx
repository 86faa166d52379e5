import type { ReactNode } from 'react'
import classes from './description-list.module.css'

export function DescriptionList({
  items,
}: {
  items: readonly { name: string; value: ReactNode }[]
}) {
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
