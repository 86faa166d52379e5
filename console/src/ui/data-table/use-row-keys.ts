import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'

const MOVES: Readonly<Record<string, 'next' | 'previous' | 'first' | 'last'>> = {
  ArrowDown: 'next',
  j: 'next',
  ArrowUp: 'previous',
  k: 'previous',
  Home: 'first',
  End: 'last',
}

const INTERACTIVE = 'a, button, input, select, textarea, label, [role="menuitem"]'

/** Keys that work without a focused row; arrows and Space scroll the page. */
const FROM_PAGE = new Set(['j', 'k', 'x', '.'])

const OPEN_DIALOG = 'dialog[open], [role="dialog"][aria-modal="true"]'

const TAKES_KEYS = `${INTERACTIVE}, tr[data-row], [contenteditable], [role="dialog"], dialog`

const rowsOf = (body: HTMLElement) => [...body.querySelectorAll<HTMLElement>('tr[data-row]')]

type Settings = {
  onOpen?: (index: number) => void
  onSelect?: (index: number, isRange: boolean) => void
  onEscape?: () => void
}

/**
 * Roving tab index: arrows or j and k move between rows, Enter opens, Space or x selects, and a
 * full stop opens the actions. The letters also work while nothing has the focus.
 */
export function useRowKeys({ onOpen, onSelect, onEscape }: Settings) {
  const [active, setActive] = useState(0)
  const body = useRef<HTMLTableSectionElement>(null)
  useKeysOfPage(body, active)

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget } = event
    if (!(target instanceof HTMLElement) || !target.matches('tr[data-row]')) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const rows = rowsOf(currentTarget)
    const index = rows.indexOf(target)
    const move = MOVES[event.key]
    if (move) {
      const to = { next: index + 1, previous: index - 1, first: 0, last: rows.length - 1 }[move]
      rows[Math.min(Math.max(to, 0), rows.length - 1)]?.focus()
    } else if (event.key === 'Enter' && onOpen) onOpen(index)
    else if ((event.key === ' ' || event.key === 'x') && onSelect) onSelect(index, event.shiftKey)
    else if (event.key === 'Escape' && onEscape) onEscape()
    else if (event.key === '.') target.querySelector<HTMLElement>('[data-row-menu]')?.click()
    else return
    event.preventDefault()
  }

  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const row = event.target.closest<HTMLElement>('tr[data-row]')
    if (row) setActive(Math.max(rowsOf(event.currentTarget).indexOf(row), 0))
  }

  const onClick = (event: MouseEvent<HTMLElement>) => {
    const { target, currentTarget } = event
    if (!onOpen || !(target instanceof Element) || !currentTarget.contains(target)) return
    if (target.closest(INTERACTIVE) || window.getSelection()?.isCollapsed === false) return
    const row = target.closest<HTMLElement>('tr[data-row]')
    if (row) onOpen(rowsOf(currentTarget).indexOf(row))
  }

  return { active, body: { ref: body, onKeyDown, onFocus, onClick } }
}

/** Passes keys that nothing else takes to the active row of the first table. */
function useKeysOfPage(body: RefObject<HTMLTableSectionElement | null>, active: number) {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (!FROM_PAGE.has(key) || event.defaultPrevented || ctrlKey || metaKey || altKey) return
      if (!(target instanceof Element) || target.closest(TAKES_KEYS)) return
      const isFirst = document.querySelector('main tr[data-row]')?.parentElement === body.current
      if (!body.current || !isFirst || document.querySelector(OPEN_DIALOG)) return
      const row = rowsOf(body.current)[active]
      row?.focus()
      event.preventDefault()
      // The first press of j or k finds the row that the next one leaves.
      if (key === 'j' || key === 'k') return
      row?.dispatchEvent(new globalThis.KeyboardEvent('keydown', { key, shiftKey, bubbles: true }))
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [body, active])
}
