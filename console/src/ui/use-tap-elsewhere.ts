import { useEffect } from 'react'

/**
 * Lifting a finger ends pointer events, so the touched value stays until the next press.
 */
export function useTapElsewhere(isShown: boolean, onRead: (at: null) => void) {
  useEffect(() => {
    if (!isShown) return
    const forget = () => onRead(null)
    // Capture phase: runs before the pressed element selects a value.
    document.addEventListener('pointerdown', forget, true)
    return () => document.removeEventListener('pointerdown', forget, true)
  }, [isShown, onRead])
}
