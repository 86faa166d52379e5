import { useEffect } from 'react'

/** For a dialog that is taken away as a whole: focus goes back to what opened it. */
export function useFocusReturn() {
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      // The dialog is gone with the next frame; only then can focus go back.
      requestAnimationFrame(() => opener instanceof HTMLElement && opener.focus())
    }
  }, [])
}
