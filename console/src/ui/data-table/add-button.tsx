import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { Link } from '../../lib/router/router.tsx'

export type Adding = { label: string; to: string }

type Props = Adding & {
  /** True while the empty list shows the same button as the primary action. */
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
