import type { ReactNode } from 'react'
import type { TagColor } from './palette.ts'
import classes from './tag.module.css'

/** Contrast is at least 6.8 : 1 in both themes. */
export function Tag({ color, children }: { color: TagColor; children: ReactNode }) {
  const [light, dark] = color === 'gray' ? ['gray-2', 'dark-5'] : [`${color}-1`, `${color}-9`]
  const style = {
    color: `light-dark(var(--mantine-color-${color}-8), var(--mantine-color-${color}-2))`,
    background: `light-dark(var(--mantine-color-${light}), var(--mantine-color-${dark}))`,
  }
  return (
    <span className={classes['tag']} style={style}>
      {children}
    </span>
  )
}
