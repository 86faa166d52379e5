import { useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { useTranslation } from '../i18n/use-translation.ts'
import { alertsQuery } from '../lib/alerts.ts'
import { useIsPageShown } from '../lib/page-shown.ts'
import { Link } from '../lib/router/router.tsx'
import classes from './layout.module.css'

/** Leads to the alerts. A dot says that some are new. */
export function AlertBell() {
  const { t } = useTranslation()
  const isPageShown = useIsPageShown()
  const { data } = useQuery({ ...alertsQuery, enabled: isPageShown })
  const unseen = data?.unseen ?? 0
  const label = unseen === 0 ? t('alertTitle.page') : t('alertTitle.unseen', { count: unseen })
  return (
    <Link to="/alert" className={classes['menuButton']} aria-label={label} title={label}>
      <span className={classes['bell']} data-unseen={unseen > 0}>
        <Bell size={16} aria-hidden />
      </span>
    </Link>
  )
}
