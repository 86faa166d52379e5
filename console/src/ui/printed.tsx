import type { ReactNode } from 'react'
import classes from './printed.module.css'

/** A line on paper only. A page with this line prints black on white and without its frame. */
export function Printed({ className = '', children }: { className?: string; children: ReactNode }) {
  return <p className={`${classes['printed']} ${className}`}>{children}</p>
}
