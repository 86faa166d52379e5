import { useEffect, useState } from 'react'
import { DIALOG, keepEarlyKeys } from './early-keys.ts'
import { type Shortcut, shortcutOf } from './shortcut.ts'

const TYPING = 'input, textarea, select, [contenteditable]'

/**
 * The palette or shortcut list opened by key or button. Shortcuts are ignored while a dialog is
 * open.
 */
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
  useEffect(() => {
    if (opened !== 'palette') return
    return keepEarlyKeys(() => setOpened(null))
  }, [opened])
  return [opened, setOpened] as const
}
