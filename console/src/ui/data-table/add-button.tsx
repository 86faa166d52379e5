import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { Link } from 'react-router'

/** What a list's button adds, and where. */
export type Adding = { label: string; to: string }

type Props = Adding & {
  /** While the empty list shows the same button, that one is the page's primary one. */
  isQuiet?: boolean
}

export function AddButton({ label, to, isQuiet = false }: Props) {
  return (
    <Button
      component={Link}
      to={to}
      variant={isQuiet ? 'default' : 'filled'}
      leftSection={<Plus size={14} aria-hidden />}
    >
      {label}
    </Button>
  )
}
