/** What a browser reports as the code of a key that an input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229

/**
 * True if an input method takes the key, as Chinese and Japanese ones take Enter to confirm a
 * candidate. Safari ends the composition before that Enter, which only its code tells.
 */
export const isComposing = (press: { isComposing: boolean; keyCode: number }) =>
  press.isComposing || press.keyCode === TAKEN_BY_INPUT_METHOD

// Loaded before all other modules, so that no handler of a page or a library gets such a key.
if (typeof window !== 'undefined') {
  window.addEventListener(
    'keydown',
    (event) => {
      if (isComposing(event)) event.stopImmediatePropagation()
    },
    { capture: true },
  )
}
