import { UnstyledButton } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import classes from './layout.module.css'
import type { MenuKind } from './opened-menu.tsx'

const OpenedMenu = lazy(async () => ({
  default: (await import('./opened-menu.tsx')).OpenedMenu,
}))

type Props = { kind: MenuKind; label: string; children: ReactNode }

/** A menu of the header; its code comes with the first click, as most visits open none. */
export function MenuButton({ kind, label, children }: Props) {
  const [isWanted, setIsWanted] = useState(false)
  const button = (
    <UnstyledButton
      className={classes['menuButton'] ?? ''}
      aria-label={label}
      aria-haspopup="menu"
      title={label}
      onClick={isWanted ? undefined : () => setIsWanted(true)}
    >
      {children}
    </UnstyledButton>
  )
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <OpenedMenu kind={kind} button={button} />
    </Suspense>
  )
}
