import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { ComponentPropsWithRef, ReactNode } from 'react'

type Props = ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, 'color' | 'style' | 'children'> & {
    'aria-label': string
    children: ReactNode
  }

/** On touch the name would stand over what the tap has just shown. */
const EVENTS = { hover: true, focus: true, touch: false }

/** A button that is only an icon: its name is required, and shown on hover. */
export function IconButton({ children, ...props }: Props) {
  return (
    <Tooltip label={props['aria-label']} events={EVENTS}>
      <ActionIcon {...props}>{children}</ActionIcon>
    </Tooltip>
  )
}
