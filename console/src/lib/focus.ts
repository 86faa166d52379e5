/** Recently focused elements, newest last. Several are kept because some may have left the page. */
const recent: HTMLElement[] = []
const RECENT_MAX = 8

/** Maximum wait for a disabled element to become focusable. */
const PATIENCE_MS = 120_000

if (typeof document !== 'undefined') {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    recent.push(target)
    if (recent.length > RECENT_MAX) recent.shift()
  })
}

const isFree = () => document.activeElement === null || document.activeElement === document.body

/** The focused element or the last that had focus: a button loses focus while its action runs. */
export function focused(): HTMLElement | null {
  const { activeElement } = document
  if (!isFree() && activeElement instanceof HTMLElement) return activeElement
  return recent.findLast((element) => element.isConnected) ?? null
}

/** Focuses the element once it is enabled, unless something else has taken the focus. */
export function giveFocus(element: HTMLElement) {
  if (isFree()) element.focus()
  if (!element.matches(':disabled')) return
  const watcher = new MutationObserver(() => {
    if (element.matches(':disabled')) return
    stop()
    if (isFree()) element.focus()
  })
  const stop = () => {
    clearTimeout(timer)
    watcher.disconnect()
  }
  const timer = setTimeout(stop, PATIENCE_MS)
  watcher.observe(element, { attributeFilter: ['disabled'] })
}
