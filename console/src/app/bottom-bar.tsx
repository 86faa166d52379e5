import {
  ChartColumn,
  KeyRound,
  type LucideIcon,
  MessageSquare,
  Network,
  ScrollText,
  Users,
  Wallet,
} from 'lucide-react'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link } from '../lib/router/router.tsx'
import { useIsAdmin } from '../lib/session.ts'
import classes from './bottom-bar.module.css'
import './nav.messages.ts'
import { useNavItems, useSection } from './use-nav-items.ts'

/** Paths of the menu that a thumb reaches without the sheet, in their order. */
const FOR_ADMINS: Readonly<Record<string, LucideIcon>> = {
  '/dashboard': ChartColumn,
  '/channel': Network,
  '/log': ScrollText,
  '/user': Users,
}

const FOR_CUSTOMERS: Readonly<Record<string, LucideIcon>> = {
  '/dashboard': ChartColumn,
  '/play': MessageSquare,
  '/token': KeyRound,
  '/log': ScrollText,
  '/topup': Wallet,
}

/** The most used pages, below 900 px. */
export function BottomBar() {
  const { t } = useTranslation()
  const items = useNavItems()
  const section = useSection()
  const icons = useIsAdmin() ? FOR_ADMINS : FOR_CUSTOMERS
  return (
    <nav className={classes['bar']} aria-label={t('nav.bar.label')}>
      {Object.entries(icons).flatMap(([path, Icon]) => {
        const item = items.find((entry) => entry.path === path)
        if (!item) return []
        return (
          <Link
            key={path}
            to={path}
            className={classes['entry']}
            aria-current={path === section ? 'page' : undefined}
          >
            <Icon size={20} aria-hidden />
            <span className={classes['label']}>{t(item.label)}</span>
          </Link>
        )
      })}
    </nav>
  )
}
