import { UnstyledButton } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { LazyPart } from '../ui/lazy-part.tsx'
import classes from './layout.module.css'
import type { MenuKind } from './opened-menu.tsx'

type Props = {
  kind: MenuKind
  label: string
  children: ReactNode
  /** Main menu only: index of the first entry to show. */
  from?: number
  className?: string | undefined
}

const load = () => import('./opened-menu.tsx').then((module) => module.OpenedMenu)

/** Header menu whose code loads on first use. */
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
    <LazyPart
      name="opened-menu"
      load={load}
      props={{ kind, button, target, from }}
      fallback={button}
      onFail={() => setIsWanted(false)}
    />
  )
}
