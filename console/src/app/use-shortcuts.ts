import { useEffect, useState } from 'react'
import { type Shortcut, shortcutOf } from './shortcut.ts'

const TYPING = 'input, textarea, select, [contenteditable]'
const DIALOG = 'dialog[open], [role="dialog"][aria-modal="true"]'

/** What was asked for by key or button and is open; a question that is open is answered first. */
export function useShortcuts() {
  const [opened, setOpened] = useState<Shortcut | null>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event
      const isTyping = target instanceof Element && target.closest(TYPING) !== null
      const shortcut = shortcutOf(event, isTyping)
      if (shortcut === null || event.defaultPrevented) return
      if (document.querySelector(DIALOG)) return
      event.preventDefault()
      setOpened(shortcut)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return [opened, setOpened] as const
}
