import { Menu } from '@mantine/core'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { IconButton } from './icon-button.tsx'

type Props = Omit<ComponentProps<typeof IconButton>, 'children'> & {
  icon: ReactNode
  /** Menu items. Call `focus` before an action, so that a dialog can return focus to the button. */
  children: (focus: () => void) => ReactNode
}

/** Icon button with a menu that is created on first use, because tables contain hundreds. */
export function IconMenu({ icon, children, ...props }: Props) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isMounted, setIsMounted] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  // Opens in a timeout: by then the key event has bubbled to the document, where it would close an
  // open menu, and the menu is mounted and has recorded where focus must return.
  const open = () => {
    setIsMounted(true)
    setTimeout(() => setIsOpen(true))
  }
  const openByArrow = (event: KeyboardEvent) => {
    if (isOpen || !['ArrowDown', 'ArrowUp'].includes(event.key)) return
    event.preventDefault()
    open()
  }
  return (
    <>
      <IconButton
        {...props}
        ref={button}
        id={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-dropdown` : undefined}
        onClick={isOpen ? () => setIsOpen(false) : open}
        onKeyDown={openByArrow}
      >
        {icon}
      </IconButton>
      {isMounted && (
        <Menu id={id} opened={isOpen} onChange={setIsOpen}>
          <Menu.Target>
            <Existing element={button} />
          </Menu.Target>
          <Menu.Dropdown>{isOpen && children(() => button.current?.focus())}</Menu.Dropdown>
        </Menu>
      )}
    </>
  )
}

type ExistingProps = { element: RefObject<HTMLElement | null>; ref?: Ref<HTMLElement | null> }

/** Passes the existing button to the menu, because a new target button would lose the focus. */
function Existing({ element, ref }: ExistingProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => element.current, [element])
  return null
}
