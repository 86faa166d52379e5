import { useTranslation } from '../i18n/use-translation.ts'
import classes from './empty.module.css'
import { useDelayed } from './use-delayed.ts'

export function Loading({ page }: { page: string }) {
  const { t } = useTranslation()
  const late = useDelayed(true)
  return (
    <div className={classes['empty']} role="status" aria-busy data-page-loading>
      <p className={classes['body']}>{late && t('common.state.loading', { page })}</p>
    </div>
  )
}
