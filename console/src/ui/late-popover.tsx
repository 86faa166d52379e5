import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useId } from 'react'
import { type Overlays, preloadOverlays } from './late-overlays.ts'
import { Existing, useLateTarget } from './late-target.tsx'

type Props = {
  label: string
  icon: ReactNode
  children: (close: () => void, overlays: Overlays) => ReactNode
}

/** A button and the box that it opens, which is created on first use. */
export function LatePopover({ label, icon, children }: Props) {
  const id = useId()
  const { button, overlays, isOpen, setIsOpen, toggle } = useLateTarget()
  useEffect(preloadOverlays, [])
  return (
    <>
      <Button
        ref={button}
        variant="default"
        leftSection={icon}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-dropdown` : undefined}
        onClick={toggle}
      >
        {label}
      </Button>
      {overlays && (
        <overlays.Popover
          id={id}
          position="bottom-end"
          trapFocus
          returnFocus
          opened={isOpen}
          onChange={setIsOpen}
        >
          <overlays.Popover.Target>
            <Existing element={button} />
          </overlays.Popover.Target>
          <overlays.Popover.Dropdown aria-label={label}>
            {children(() => setIsOpen(false), overlays)}
          </overlays.Popover.Dropdown>
        </overlays.Popover>
      )}
    </>
  )
}
