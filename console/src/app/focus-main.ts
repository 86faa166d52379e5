/** Moves the focus of an element that is about to unmount. */
export function focusMain() {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus()
  })
}
