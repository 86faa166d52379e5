import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { ComponentPropsWithRef, ReactNode } from 'react'

type Props = ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, 'color' | 'style' | 'children'> & {
    'aria-label': string
    children: ReactNode
  }

/** A button that is only an icon: its name is required, and shown on hover. */
export function IconButton({ children, ...props }: Props) {
  return (
    <Tooltip label={props['aria-label']}>
      <ActionIcon {...props}>{children}</ActionIcon>
    </Tooltip>
  )
}
