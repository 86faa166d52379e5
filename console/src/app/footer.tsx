import { useTranslation } from 'react-i18next'
import { toSafeFragment } from '../lib/html.ts'
import { useStatus, useSystemName } from '../lib/status.ts'
import { RichText } from '../ui/rich-text.tsx'
import classes from './layout.module.css'

/** The operator's own footer, or the name and version of this service. */
export function Footer() {
  const { t } = useTranslation()
  const status = useStatus()
  const name = useSystemName()
  const html = status?.footer_html ?? ''
  return (
    <footer className={classes['footer']}>
      <div className={classes['footerInner']}>
        {html === '' ? (
          t('common.frame.footer', { name, version: status?.version ?? '' })
        ) : (
          <RichText source={html} toFragment={toSafeFragment} />
        )}
      </div>
    </footer>
  )
}
