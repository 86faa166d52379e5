import { UnstyledButton } from '@mantine/core'
import { ChevronDown, Contrast, Languages, Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { truncate } from '../lib/format.ts'
import { useSession } from '../lib/session.ts'
import { useStatus, useSystemName } from '../lib/status.ts'
import classes from './layout.module.css'
import { MenuButton } from './menu-button.tsx'
import { NavLinks } from './nav-links.tsx'

const PhoneMenu = lazy(async () => ({ default: (await import('./phone-menu.tsx')).PhoneMenu }))

const LOGO = '/logo.svg'
const USERNAME_MAX = 12

export function Header() {
  const { t } = useTranslation()
  const user = useSession()
  const name = useSystemName()
  const logo = useStatus()?.logo || LOGO
  const [isOpen, setIsOpen] = useState(false)
  return (
    <header className={classes['header']}>
      <div className={classes['bar']}>
        <UnstyledButton
          className={`${classes['menuButton']} ${classes['narrow']}`}
          aria-label={t('common.frame.menu')}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(true)}
        >
          <MenuIcon size={18} aria-hidden />
        </UnstyledButton>
        <Link to="/" className={classes['brand']}>
          <img src={logo} alt="" width={20} height={20} />
          <span>{name}</span>
        </Link>
        <nav
          className={`${classes['nav']} ${classes['wide']}`}
          aria-label={t('common.frame.navigation')}
        >
          <NavLinks />
        </nav>
        <div className={classes['end']}>
          <MenuButton kind="language" label={t('common.frame.language')}>
            <Languages size={16} aria-hidden />
          </MenuButton>
          <MenuButton kind="theme" label={t('common.frame.theme')}>
            <Contrast size={16} aria-hidden />
          </MenuButton>
          {user ? (
            <MenuButton kind="user" label={t('common.frame.account', { name: user.username })}>
              {truncate(user.username, USERNAME_MAX)}
              <ChevronDown size={14} aria-hidden />
            </MenuButton>
          ) : (
            <Link to="/login" className={classes['link']}>
              {t('common.frame.login')}
            </Link>
          )}
        </div>
      </div>
      {isOpen && (
        <Suspense>
          <PhoneMenu onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </header>
  )
}
