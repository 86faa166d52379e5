import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link, useLocation } from '../lib/router/router.tsx'
import { useIsAdmin } from '../lib/session.ts'
import { Page } from './page.tsx'
import classes from './setting-frame.module.css'

const TABS = [
  { to: '/setting', title: 'settingsTitle.personal' },
  { to: '/setting/operation', title: 'settingsTitle.operation' },
  { to: '/setting/prices', title: 'pricingTitle.prices' },
  { to: '/setting/system', title: 'settingsTitle.system' },
  { to: '/setting/other', title: 'settingsTitle.other' },
] as const

type Props = {
  /** Sections of the open tab; each id is an element id. */
  sections?: readonly { id: string; title: string }[]
  actions?: ReactNode
  children: ReactNode
}

/** Settings page with tabs. Ordinary users have a single tab, so their tabs are hidden. */
export function SettingFrame({ sections = [], actions, children }: Props) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const { pathname } = useLocation()
  const title = t('settingsTitle.all')
  const nav = useRef<HTMLElement>(null)
  useEffect(() => showCurrent(nav.current), [pathname])
  if (!isAdmin) {
    return (
      <Page title={title} width="form">
        {children}
      </Page>
    )
  }
  return (
    <Page title={title} width="table" actions={actions}>
      <div className={classes['columns']}>
        <nav ref={nav} className={classes['nav']} aria-label={title}>
          <ul className={classes['list']}>
            {TABS.map((tab) => (
              <li key={tab.to}>
                <Link
                  to={tab.to}
                  className={classes['link']}
                  aria-current={tab.to === pathname ? 'page' : undefined}
                >
                  {t(tab.title)}
                </Link>
                {tab.to === pathname && sections.length > 0 && (
                  <ul className={classes['list']}>
                    {sections.map((section) => (
                      <li key={section.id}>
                        <a href={`#${section.id}`} className={classes['link']}>
                          {section.title}
                        </a>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </nav>
        <div>{children}</div>
      </div>
    </Page>
  )
}

/** Scrolls the current tab to the center on screens too narrow for all tabs. */
function showCurrent(nav: HTMLElement | null) {
  const current = nav?.querySelector('[aria-current=page]')
  if (!nav || !current) return
  const { left, width } = current.getBoundingClientRect()
  const frame = nav.getBoundingClientRect()
  nav.scrollLeft += left - frame.left - (frame.width - width) / 2
}
