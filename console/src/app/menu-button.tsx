import { UnstyledButton } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { Arriving } from '../ui/lazy-fallback.tsx'
import classes from './layout.module.css'
import type { MenuKind } from './opened-menu.tsx'

type Props = {
  kind: MenuKind
  label: string
  children: ReactNode
  /** Of the main menu, the entries from here on. */
  from?: number
  className?: string | undefined
}

const load = async () => (await import('./opened-menu.tsx')).OpenedMenu

/** A menu of the header. */
export function MenuButton({ kind, label, children, from = 0, className = '' }: Props) {
  const target = useRef<HTMLButtonElement>(null)
  const [isWanted, setIsWanted] = useState(false)
  const button = (
    <UnstyledButton
      ref={target}
      className={`${classes['menuButton']} ${className}`}
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
    <Arriving
      name="opened-menu"
      load={load}
      props={{ kind, button, target, from }}
      fallback={button}
      onFail={() => setIsWanted(false)}
    />
  )
}
