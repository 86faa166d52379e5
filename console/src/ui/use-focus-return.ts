import { useEffect } from 'react'
import { focused, giveFocus } from '../lib/focus.ts'

/** For dialogs that unmount as a whole: returns focus to the element that opened them. */
export function useFocusReturn() {
  useEffect(() => {
    const opener = focused()
    return () => {
      // The dialog unmounts with the next frame; focus can return only then.
      requestAnimationFrame(() => opener && giveFocus(opener))
    }
  }, [])
}
