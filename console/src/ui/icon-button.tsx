import type { ComponentPropsWithRef, ReactNode } from 'react'
import classes from './icon-button.module.css'

type Props = Omit<ComponentPropsWithRef<'button'>, 'type' | 'className'> & {
  'aria-label': string
  size?: 24 | 28 | 32
  isOutlined?: boolean
  children: ReactNode
}

/**
 * Icon-only button; its required name is also its tooltip. Lightweight, because tables contain
 * hundreds.
 */
export function IconButton({ size = 28, isOutlined = false, ...props }: Props) {
  return (
    <button
      type="button"
      {...props}
      className={classes['button']}
      data-size={size}
      data-outlined={isOutlined || undefined}
      data-hint={props['aria-label']}
    />
  )
}
