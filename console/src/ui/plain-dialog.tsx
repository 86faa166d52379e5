import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import classes from './plain-dialog.module.css'

type Props = { label: string; onClose: () => void; children: (close: () => void) => ReactNode }

/** The browser's own dialog: it keeps the focus in, Escape closes it, and focus goes back after it. */
export function PlainDialog({ label, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const close = () => dialog.current?.close()
  // The browser tells of it later; by then an effect that ran again may have opened it anew.
  const onClosed = () => dialog.current?.open === false && onClose()
  const closeOutside = (event: MouseEvent) => event.target === dialog.current && close()
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- Escape does what a click beside it does
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
