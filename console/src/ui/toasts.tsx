import { CloseButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useRef } from 'react'
import { type CloseButtonProps, toast, ToastContainer } from 'react-toastify'
import { useTranslation } from '../i18n/use-translation.ts'
import 'react-toastify/dist/ReactToastify.css'
import './toasts.css'

/** More toasts would cover the page; they wait in a queue. */
const AT_ONCE_MAX = 4

export function Toasts() {
  const { t } = useTranslation()
  const isNarrow = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false })
  return (
    <div {...useToastFocus()}>
      <ToastContainer
        position={isNarrow ? 'top-center' : 'top-right'}
        aria-label={t('common.frame.toasts')}
        closeButton={Close}
        hotKeys={isToastKey}
        limit={AT_ONCE_MAX}
        newestOnTop
        theme="light"
      />
    </div>
  )
}

/**
 * F6 moves the focus to the newest toast; without a toast the key stays the browser's. A native
 * dialog keeps the focus from everything else, so it closes.
 */
function isToastKey(event: globalThis.KeyboardEvent): boolean {
  if (event.key !== 'F6' || !document.querySelector('.Toastify__toast')) return false
  event.preventDefault()
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close()
  return true
}

/** Toasts stay while they have the focus, and give it back to where it came from. */
function useToastFocus() {
  const before = useRef<Element | null>(null)
  const isInside = ({ currentTarget }: FocusEvent, other: Element | null) =>
    currentTarget.contains(other)
  const giveBack = () => {
    if (before.current instanceof HTMLElement) before.current.focus()
  }
  return {
    onFocus: (event: FocusEvent) => {
      // A dialog behind the toast then leaves Escape to `onKeyDown`.
      event.target.setAttribute('data-mantine-stop-propagation', 'true')
      if (isInside(event, event.relatedTarget)) return
      before.current = event.relatedTarget
      toast.pause()
    },
    onBlur: (event: FocusEvent) => {
      if (!isInside(event, event.relatedTarget)) toast.play()
    },
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Escape') giveBack()
    },
    onClick: ({ target, detail }: MouseEvent) => {
      // A press of a key; the button goes away with its toast.
      if (detail === 0 && target instanceof Element && target.closest('button')) giveBack()
    },
  }
}

function Close({ closeToast }: CloseButtonProps) {
  const { t } = useTranslation()
  return (
    <CloseButton
      size="sm"
      className="Toastify__close"
      aria-label={t('common.action.close')}
      onClick={(event) => closeToast(event)}
    />
  )
}
