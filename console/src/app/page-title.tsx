import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { useLocation, useRoute } from '../lib/router/router.tsx'
import { useSystemName } from '../lib/status.ts'

function useTitle(): string {
  const { t } = useTranslation()
  return t(useRoute()?.title ?? 'app.error.title')
}

/** Focuses the main area, then its heading once rendered. Returns a function that stops waiting. */
function focusHeading(main: HTMLElement): () => void {
  main.focus({ preventScroll: true })
  const observer = new MutationObserver(toHeading)
  observer.observe(main, { childList: true, subtree: true })
  toHeading()
  return () => observer.disconnect()

  function toHeading() {
    const heading = main.querySelector('h1')
    if (heading === null && document.activeElement === main) return
    observer.disconnect()
    if (heading === null || document.activeElement !== main) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }
}

/**
 * Sets the document title, announces each new page and moves focus there, unless the page has set
 * the focus itself.
 */
export function PageTitle() {
  const title = useTitle()
  const system = useSystemName()
  const { pathname } = useLocation()
  const previous = useRef(pathname)

  useEffect(() => {
    document.title = `${title} · ${system}`
  }, [title, system])

  useEffect(() => {
    if (previous.current === pathname) return undefined
    previous.current = pathname
    const main = document.querySelector<HTMLElement>('main')
    return main && !main.contains(document.activeElement) ? focusHeading(main) : undefined
  }, [pathname])

  return (
    <VisuallyHidden role="status" aria-live="polite">
      {title}
    </VisuallyHidden>
  )
}
