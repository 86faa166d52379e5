/** What had the focus, the last one last: some of it is gone by the time it is looked for. */
const recent: HTMLElement[] = []
const RECENT_MAX = 8

/** How long a disabled element may take until it can have the focus. */
const PATIENCE_MS = 120_000

if (typeof document !== 'undefined') {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    recent.push(target)
    if (recent.length > RECENT_MAX) recent.shift()
  })
}

const isFree = () => document.activeElement === null || document.activeElement === document.body

/** What has the focus, or had it last: a button loses it while its action runs. */
export function focused(): HTMLElement | null {
  const { activeElement } = document
  if (!isFree() && activeElement instanceof HTMLElement) return activeElement
  return recent.findLast((element) => element.isConnected) ?? null
}

/** Gives an element the focus, once it is enabled and unless something else has it by then. */
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
