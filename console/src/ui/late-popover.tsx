import { Button, Popover } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { Existing, useLateTarget } from './late-target.tsx'

type Props = {
  label: string
  icon: ReactNode
  children: (close: () => void) => ReactNode
}

/** A button and the box that it opens, which is created on first use. */
export function LatePopover({ label, icon, children }: Props) {
  const id = useId()
  const { button, isMounted, isOpen, setIsOpen, toggle } = useLateTarget()
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
      {isMounted && (
        <Popover
          id={id}
          position="bottom-end"
          trapFocus
          returnFocus
          opened={isOpen}
          onChange={setIsOpen}
        >
          <Popover.Target>
            <Existing element={button} />
          </Popover.Target>
          <Popover.Dropdown aria-label={label}>{children(() => setIsOpen(false))}</Popover.Dropdown>
        </Popover>
      )}
    </>
  )
}
