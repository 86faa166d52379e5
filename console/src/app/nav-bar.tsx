import { ChevronDown } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link } from '../lib/router/router.tsx'
import classes from './layout.module.css'
import { MenuButton } from './menu-button.tsx'
import { preloadPage } from './page-route.tsx'
import { useNavItems, useSection } from './use-nav-items.ts'

function countFitting(row: HTMLElement): number {
  const links = [...row.querySelectorAll<HTMLElement>(':scope > a')]
  return links.filter((link) => link.offsetTop === links[0]?.offsetTop).length
}

/** Main menu on one line; entries that do not fit move to "More". */
export function NavBar() {
  const { t } = useTranslation()
  const items = useNavItems()
  const section = useSection()
  const row = useRef<HTMLElement>(null)
  const [fitting, setFitting] = useState(items.length)
  const measure = useCallback(() => row.current && setFitting(countFitting(row.current)), [])

  // After every render, because entries and language change the widths.
  useLayoutEffect(() => void measure())
  useEffect(() => {
    if (!row.current) return
    const observer = new ResizeObserver(measure)
    observer.observe(row.current)
    return () => observer.disconnect()
  }, [measure])

  const isOver = fitting < items.length
  const isCurrentOver = items.findIndex(({ path }) => path === section) >= fitting
  return (
    <div className={classes['navBar']}>
      <nav ref={row} className={classes['nav']} aria-label={t('common.frame.navigation')}>
        {items.map(({ path, label }, index) => (
          <Link
            key={path}
            to={path}
            className={classes['link']}
            data-over={index >= fitting || undefined}
            aria-current={path === section ? 'page' : undefined}
            onPointerEnter={() => preloadPage(path)}
            onFocus={() => preloadPage(path)}
          >
            {t(label)}
          </Link>
        ))}
      </nav>
      <div data-over={!isOver || undefined} data-current={isCurrentOver || undefined}>
        <MenuButton kind="more" label={t('common.frame.more')} from={fitting}>
          {t('common.frame.more')}
          <ChevronDown size={14} aria-hidden />
        </MenuButton>
      </div>
    </div>
  )
}
