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
  /** The items; before one acts, `focus` brings the focus back, for a dialog to return it there. */
  children: (focus: () => void) => ReactNode
}

/** An icon button with a menu, which is made when it is first opened: a table has hundreds of them. */
export function IconMenu({ icon, children, ...props }: Props) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isMade, setIsMade] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  // It opens when the key is up in the document: a menu closes on keys pressed outside of it. By then
  // it is made, and has seen where the focus is to go back to.
  const open = () => {
    setIsMade(true)
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
      {isMade && (
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

/** Hands the menu the button that stands there already: one of its own would take the focus from it. */
function Existing({ element, ref }: ExistingProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => element.current, [element])
  return null
}
