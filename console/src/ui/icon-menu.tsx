import type { ComponentProps, ReactNode } from 'react'
import { IconButton } from './icon-button.tsx'
import { LateMenu } from './late-menu.tsx'

type Props = Omit<ComponentProps<typeof IconButton>, 'children'> &
  Pick<ComponentProps<typeof LateMenu>, 'children'> & { icon: ReactNode }

/** Icon button with a menu. */
export function IconMenu({ icon, children, ...props }: Props) {
  return (
    <LateMenu
      button={(given) => (
        <IconButton {...props} {...given}>
          {icon}
        </IconButton>
      )}
    >
      {children}
    </LateMenu>
  )
}
