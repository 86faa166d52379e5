import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import classes from './plain-dialog.module.css'

type Props = { label: string; onClose: () => void; children: (close: () => void) => ReactNode }

/** Native dialog element: it traps focus, closes on Escape and restores focus. */
export function PlainDialog({ label, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const close = () => dialog.current?.close()
  // The close event is asynchronous; a repeated effect may have reopened the dialog by then.
  const onClosed = () => dialog.current?.open === false && onClose()
  const closeOutside = (event: MouseEvent) => event.target === dialog.current && close()
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- Escape does the same as a click outside
    <dialog
      ref={dialog}
      className={classes['dialog']}
      aria-label={label}
      onClose={onClosed}
      onMouseDown={closeOutside}
    >
      {children(close)}
    </dialog>
  )
}
