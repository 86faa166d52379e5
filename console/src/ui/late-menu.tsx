import { Menu } from '@mantine/core'
import { type ComponentPropsWithRef, type KeyboardEvent, type ReactNode, useId } from 'react'
import { Existing, useLateTarget } from './late-target.tsx'

type ButtonProps = Pick<
  ComponentPropsWithRef<'button'>,
  'ref' | 'id' | 'aria-haspopup' | 'aria-expanded' | 'aria-controls' | 'onClick' | 'onKeyDown'
>

type Props = {
  button: (props: ButtonProps) => ReactNode
  /** Menu items. Call `focus` before an action, so that a dialog can return focus to the button. */
  children: (focus: () => void) => ReactNode
}

/** A menu that is created on first use. */
export function LateMenu({ button, children }: Props) {
  const id = useId()
  const { button: element, isMounted, isOpen, setIsOpen, open, toggle } = useLateTarget()
  const openByArrow = (event: KeyboardEvent) => {
    if (isOpen || !['ArrowDown', 'ArrowUp'].includes(event.key)) return
    event.preventDefault()
    open()
  }
  return (
    <>
      {button({
        ref: element,
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        'aria-controls': isOpen ? `${id}-dropdown` : undefined,
        onClick: toggle,
        onKeyDown: openByArrow,
      })}
      {isMounted && (
        <Menu id={id} opened={isOpen} onChange={setIsOpen}>
          <Menu.Target>
            <Existing element={element} />
          </Menu.Target>
          <Menu.Dropdown>{isOpen && children(() => element.current?.focus())}</Menu.Dropdown>
        </Menu>
      )}
    </>
  )
}
