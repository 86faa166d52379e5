import { Drawer } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useSession } from '../lib/session.ts'
import classes from './layout.module.css'
import { NavLinks } from './nav-links.tsx'
import { useLogout } from './use-logout.ts'

/** The menu below 1200 px: a sheet as high as the screen. */
export function PhoneMenu({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const user = useSession()
  const logout = useLogout()
  return (
    <Drawer
      opened
      onClose={onClose}
      size={280}
      title={t('common.frame.menu')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
      transitionProps={{ duration: 120 }}
    >
      <nav className={classes['phoneNav']} aria-label={t('common.frame.navigation')}>
        <NavLinks onFollow={onClose} />
        {user ? (
          <>
            <Link to="/setting" className={classes['link']} onClick={onClose}>
              {t('common.frame.settings')}
            </Link>
            <Link
              to="/"
              className={classes['link']}
              onClick={(event) => {
                event.preventDefault()
                onClose()
                logout.mutate()
              }}
            >
              {t('common.frame.logout')}
            </Link>
          </>
        ) : (
          <>
            <Link to="/login" className={classes['link']} onClick={onClose}>
              {t('common.frame.login')}
            </Link>
            <Link to="/register" className={classes['link']} onClick={onClose}>
              {t('entryTitle.register')}
            </Link>
          </>
        )}
      </nav>
    </Drawer>
  )
}
