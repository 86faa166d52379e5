import { Drawer, UnstyledButton } from '@mantine/core'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link } from '../lib/router/router.tsx'
import { useSession } from '../lib/session.ts'
import { useFocusReturn } from '../ui/use-focus-return.ts'
import classes from './layout.module.css'
import { useLogout } from './use-logout.ts'
import { useNavItems, useSection } from './use-nav-items.ts'

/** Menu below 900 px: a full-height sheet with its entries within thumb reach. */
export function PhoneMenu({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const user = useSession()
  const items = useNavItems()
  const section = useSection()
  const logout = useLogout()
  useFocusReturn()
  const logOut = () => {
    onClose()
    logout.mutate()
  }
  const entry = (to: string, label: string, isCurrent = false) => (
    <Link
      key={to}
      to={to}
      className={classes['link']}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onClose}
    >
      {label}
    </Link>
  )
  return (
    <Drawer
      opened
      onClose={onClose}
      size={320}
      title={t('common.frame.menu')}
      closeButtonProps={{ 'aria-label': t('common.action.close'), size: 44, iconSize: 20 }}
      transitionProps={{ duration: 120 }}
      classNames={{
        content: classes['sheet'] ?? '',
        header: classes['sheetHead'] ?? '',
        body: classes['sheetBody'] ?? '',
      }}
    >
      <nav className={classes['phoneNav']} aria-label={t('common.frame.navigation')}>
        {items.map(({ path, label }) => entry(path, t(label), path === section))}
        <hr className={classes['phoneLine']} />
        {user ? (
          <UnstyledButton className={classes['link'] ?? ''} onClick={logOut}>
            {t('common.frame.logout')}
          </UnstyledButton>
        ) : (
          <>
            {entry('/login', t('common.frame.login'))}
            {entry('/register', t('entryTitle.register'))}
          </>
        )}
      </nav>
    </Drawer>
  )
}
