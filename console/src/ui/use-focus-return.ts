import { useEffect } from 'react'
import { focused, giveFocus } from '../lib/focus.ts'

/** For a dialog that is taken away as a whole: focus goes back to what opened it. */
export function useFocusReturn() {
  useEffect(() => {
    const opener = focused()
    return () => {
      // The dialog is gone with the next frame; only then can focus go back.
      requestAnimationFrame(() => opener && giveFocus(opener))
    }
  }, [])
}
