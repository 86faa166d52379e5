import type { ReactNode } from 'react'
import classes from './empty.module.css'

type Props = { title: string; body?: string; action?: ReactNode; alert?: boolean }

export function Empty({ title, body, action, alert = false }: Props) {
  return (
    <div className={classes['empty']} role={alert ? 'alert' : undefined}>
      <p className={classes['title']}>{title}</p>
      {body !== undefined && <p className={classes['body']}>{body}</p>}
      {action}
    </div>
  )
}
