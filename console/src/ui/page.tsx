import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './page.module.css'

type Props = {
  title: string
  count?: string
  width: 'table' | 'form' | 'text' | 'narrow'
  /** Page buttons, the primary button last. */
  actions?: ReactNode
  /** The last child is a table. It takes the height that the window leaves. */
  fitsWindow?: boolean
  children: ReactNode
}

export function Page({ title, count, width, actions, fitsWindow = false, children }: Props) {
  return (
    <div className={classes['page']} data-width={width} data-fits-window={fitsWindow || undefined}>
      <div className={classes['head']}>
        <Title order={1} className={classes['title']}>
          {title}
          {count !== undefined && <span className={classes['count']}>{count}</span>}
        </Title>
        {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}
