import { UnstyledButton } from '@mantine/core'
import { ChevronDown, Contrast, Languages, Menu as MenuIcon, Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { basePath } from '../lib/base-path.ts'
import { truncate } from '../lib/format.ts'
import { useFactorRequired } from '../lib/required-factor.ts'
import { Link, useLocation } from '../lib/router/router.tsx'
import { useIsAdmin, useSession } from '../lib/session.ts'
import { useLogo, useSystemName } from '../lib/status.ts'
import { LazyPart } from '../ui/lazy-part.tsx'
import { AlertBell } from './alert-bell.tsx'
import classes from './layout.module.css'
import { MenuButton } from './menu-button.tsx'
import { NavBar } from './nav-bar.tsx'
import { PALETTE_KEYS } from './shortcut.ts'
import { useIsNarrow } from './use-is-narrow.ts'

const LOGO = `${basePath}/logo.svg`
const USERNAME_MAX = 12

export function Header({ onPalette }: { onPalette: () => void }) {
  const { t } = useTranslation()
  const user = useSession()
  const isAdmin = useIsAdmin()
  const isNarrow = useIsNarrow()
  const hasBell = !useFactorRequired() && isAdmin
  const name = useSystemName()
  const logo = useLogo() || LOGO
  const { pathname } = useLocation()
  // Visitors have no user menu that would contain these two controls.
  const unlessInUserMenu = user ? classes['wide'] : ''
  return (
    <header className={classes['header']}>
      <div className={classes['bar']}>
        <PhoneMenuButton />
        <Link to="/" className={classes['brand']}>
          <img src={logo} alt="" width={20} height={20} />
          <span>{name}</span>
        </Link>
        {!isNarrow && <NavBar />}
        <div className={classes['end']}>
          {hasBell && <AlertBell />}
          {user && (
            <UnstyledButton
              className={classes['menuButton'] ?? ''}
              aria-label={t('common.frame.palette', { keys: PALETTE_KEYS })}
              aria-keyshortcuts="Control+K Meta+K"
              onClick={onPalette}
            >
              <kbd className={`${classes['keys']} ${classes['wide']}`}>{PALETTE_KEYS}</kbd>
              <Search size={18} className={classes['narrow']} aria-hidden />
            </UnstyledButton>
          )}
          <MenuButton
            kind="language"
            label={t('common.frame.language')}
            className={unlessInUserMenu}
          >
            <Languages size={16} aria-hidden />
          </MenuButton>
          <MenuButton kind="theme" label={t('common.frame.theme')} className={unlessInUserMenu}>
            <Contrast size={16} aria-hidden />
          </MenuButton>
          {user ? (
            <MenuButton kind="user" label={t('common.frame.account', { name: user.username })}>
              {truncate(user.username, USERNAME_MAX)}
              <ChevronDown size={14} aria-hidden />
            </MenuButton>
          ) : (
            <Link
              to="/login"
              className={classes['link']}
              aria-current={pathname === '/login' ? 'page' : undefined}
            >
              {t('common.frame.login')}
            </Link>
          )}
        </div>
      </div>
    </header>
  )
}

const loadPhoneMenu = () => import('./phone-menu.tsx').then((module) => module.PhoneMenu)

function PhoneMenuButton() {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <UnstyledButton
        className={`${classes['menuButton']} ${classes['narrow']}`}
        aria-label={t('common.frame.menu')}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <MenuIcon size={18} aria-hidden />
      </UnstyledButton>
      {isOpen && (
        <LazyPart
          name="phone-menu"
          load={loadPhoneMenu}
          props={{ onClose: close }}
          onFail={close}
        />
      )}
    </>
  )
}
