import { type Ref, type RefObject, useImperativeHandle, useRef, useState } from 'react'
import { loadOverlays, type Overlays } from './late-overlays.ts'

/**
 * Opens something at a button that is created on first use, because tables contain hundreds of
 * menus, and a page of closed ones takes a phone a tenth of a second.
 */
export function useLateTarget() {
  const button = useRef<HTMLButtonElement>(null)
  /** Undefined until the first use. */
  const [overlays, setOverlays] = useState<Overlays>()
  const [isOpen, setIsOpen] = useState(false)
  const open = async () => {
    const loaded = await loadOverlays()
    if (!loaded) return
    setOverlays(loaded)
    // Opens in a timeout: by then the key event has bubbled to the document, where it would close
    // an open menu, and the menu is mounted and has recorded where focus must return.
    setTimeout(() => setIsOpen(true))
  }
  const toggle = () => (isOpen ? setIsOpen(false) : void open())
  return { button, overlays, isOpen, setIsOpen, open, toggle }
}

type ExistingProps = { element: RefObject<HTMLElement | null>; ref?: Ref<HTMLElement | null> }

/** Passes the existing button to what it opens, because a new button would lose the focus. */
export function Existing({ element, ref }: ExistingProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => element.current, [element])
  return null
}
