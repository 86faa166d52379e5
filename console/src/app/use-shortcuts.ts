import { useEffect, useRef, useState } from 'react'
import { useNavigate } from '../lib/router/router.tsx'
import { DIALOG, keepEarlyKeys } from './early-keys.ts'
import { isPlain, type Shortcut, shortcutOf } from './shortcut.ts'
import { useNavItems } from './use-nav-items.ts'

const TYPING = 'input, textarea, select, [contenteditable]'
/** Menus choose by letters. */
const LETTERS = `${TYPING}, [role="menu"]`

/** How long the letter of a page may come after the g. */
const GO_MS = 1500

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
  useGoKeys()
  useEffect(() => {
    if (opened !== 'palette') return
    return keepEarlyKeys(() => setOpened(null))
  }, [opened])
  return [opened, setOpened] as const
}

/** The key g and the letter of a page open the page. */
function useGoKeys() {
  const navigate = useNavigate()
  const items = useNavItems()
  const since = useRef(-Infinity)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, timeStamp } = event
      const isTyping = target instanceof Element && target.closest(LETTERS) !== null
      if (isTyping || event.defaultPrevented || !isPlain(event)) return
      if (document.querySelector(DIALOG)) return
      const isSecond = timeStamp - since.current < GO_MS
      since.current = event.key === 'g' && !isSecond ? timeStamp : -Infinity
      const item = isSecond ? items.find(({ key }) => key === event.key) : undefined
      if (!item) return
      event.preventDefault()
      void navigate(item.path)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [navigate, items])
}
