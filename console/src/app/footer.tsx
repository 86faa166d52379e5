import { useTranslation } from '../i18n/use-translation.ts'
import { toSafeFragment } from '../lib/html.ts'
import { Link } from '../lib/router/router.tsx'
import { useStatus, useSystemName } from '../lib/status.ts'
import { RichText } from '../ui/rich-text.tsx'
import classes from './layout.module.css'

/** Link names the operator may set in the option Links. */
const OUTSIDE = ['support', 'status', 'forum', 'group'] as const

/** The operator's own footer, or default links to documentation and support. */
export function Footer() {
  const html = useStatus()?.footer_html ?? ''
  return (
    <footer className={classes['footer']}>
      <div className={classes['footerInner']}>
        {html === '' ? <DefaultFooter /> : <RichText source={html} toFragment={toSafeFragment} />}
      </div>
    </footer>
  )
}

function DefaultFooter() {
  const { t } = useTranslation()
  const status = useStatus()
  const name = useSystemName()
  const links = status?.links ?? {}
  return (
    <>
      <nav className={classes['footerLinks']} aria-label={t('common.footer.links')}>
        {links['cheap'] && <Link to="/cheap">{t('contentTitle.cheap')}</Link>}
        <Link to="/about">{t('contentTitle.about')}</Link>
        <Link to="/terms">{t('contentTitle.terms')}</Link>
        {status?.public_status && !links['status'] && (
          <Link to="/system-status">{t('availabilityTitle.page')}</Link>
        )}
        {OUTSIDE.filter((link) => links[link]).map((link) => (
          <a key={link} href={links[link]} target="_blank" rel="noopener noreferrer">
            {t(`common.footer.${link}`)}
          </a>
        ))}
      </nav>
      <span>{t('common.frame.footer', { name, version: status?.version ?? '' })}</span>
    </>
  )
}
