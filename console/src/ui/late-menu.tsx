import {
  type ComponentPropsWithRef,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
} from 'react'
import { type Overlays, preloadOverlays } from './late-overlays.ts'
import { Existing, useLateTarget } from './late-target.tsx'

type ButtonProps = Pick<
  ComponentPropsWithRef<'button'>,
  'ref' | 'id' | 'aria-haspopup' | 'aria-expanded' | 'aria-controls' | 'onClick' | 'onKeyDown'
>

type Props = {
  button: (props: ButtonProps) => ReactNode
  /** Menu items. Call `focus` before an action, so that a dialog can return focus to the button. */
  children: (focus: () => void, overlays: Overlays) => ReactNode
}

/** A menu that is created on first use. */
export function LateMenu({ button, children }: Props) {
  const id = useId()
  const { button: element, overlays, isOpen, setIsOpen, open, toggle } = useLateTarget()
  useEffect(preloadOverlays, [])
  const openByArrow = (event: KeyboardEvent) => {
    if (isOpen || !['ArrowDown', 'ArrowUp'].includes(event.key)) return
    event.preventDefault()
    void open()
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
      {overlays && (
        <overlays.Menu id={id} opened={isOpen} onChange={setIsOpen}>
          <overlays.Menu.Target>
            <Existing element={element} />
          </overlays.Menu.Target>
          <overlays.Menu.Dropdown>
            {isOpen && children(() => element.current?.focus(), overlays)}
          </overlays.Menu.Dropdown>
        </overlays.Menu>
      )}
    </>
  )
}
