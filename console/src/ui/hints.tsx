import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import classes from './hints.module.css'
import { HOVER } from './theme.ts'

const GAP = 5
const MARGIN = 8

const hintedOf = ({ target }: Event) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null

/**
 * Tooltips for elements with `data-hint`, shown on hover and focus, and on click with `data-press`.
 * One instance serves the whole console, because tables contain hundreds of such elements. Tooltips
 * repeat only what is in the accessible name.
 */
export function Hints() {
  const box = useRef<HTMLDivElement>(null)
  const [hinted, setHinted] = useState<HTMLElement | null>(null)

  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    let timer = 0
    const show = (next: HTMLElement | null, delay = 0) => {
      clearTimeout(timer)
      if (delay === 0) setHinted(next)
      else timer = window.setTimeout(() => setHinted(next), delay)
    }
    const on = <Name extends keyof DocumentEventMap>(
      name: Name,
      listener: (event: DocumentEventMap[Name]) => void,
    ) => document.addEventListener(name, listener, { signal, capture: true })

    on('pointerover', (event) => {
      if (event.pointerType === 'touch') return
      const next = hintedOf(event)
      const isOverHint = event.target instanceof Node && box.current?.contains(event.target)
      if (isOverHint) clearTimeout(timer)
      else show(next, next ? HOVER.openDelay : HOVER.closeDelay)
    })
    on('focusin', (event) => {
      const next = hintedOf(event)
      if (next?.matches(':focus-visible')) show(next)
    })
    on('focusout', () => show(null))
    on('click', (event) => {
      const pressed = hintedOf(event)
      show(pressed?.hasAttribute('data-press') ? pressed : null)
    })
    on('keydown', ({ key }) => key === 'Escape' && show(null))
    on('scroll', () => show(null))
    return () => {
      clearTimeout(timer)
      listening.abort()
    }
  }, [])

  useLayoutEffect(() => {
    if (box.current && hinted) place(box.current, hinted)
  }, [hinted])

  const text = hinted?.isConnected ? hinted.dataset['hint'] : undefined
  if (!text) return null
  return (
    <div ref={box} className={classes['hint']} aria-hidden>
      {text}
    </div>
  )
}

/** Above the element, or below it without enough room, and always inside the window. */
function place(box: HTMLElement, hinted: HTMLElement) {
  const around = hinted.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = box
  const above = around.top - height - GAP
  const top = above < MARGIN ? around.bottom + GAP : above
  const centred = around.left + (around.width - width) / 2
  // Without the scroll bar, which would cover the end of the text.
  const { clientWidth } = document.documentElement
  const left = Math.max(MARGIN, Math.min(centred, clientWidth - width - MARGIN))
  box.style.translate = `${Math.round(left)}px ${Math.round(top)}px`
}
