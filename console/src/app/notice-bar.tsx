import { X } from 'lucide-react'
import { useTranslation } from '../i18n/use-translation.ts'
import { toSafeFragment } from '../lib/html.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { RichText } from '../ui/rich-text.tsx'
import './notice-bar.messages.ts'
import classes from './notice-bar.module.css'

/** Stays in the page, above its content, so that it covers no control. */
export function NoticeBar({ notice, onDismiss }: { notice: string; onDismiss: () => void }) {
  const { t } = useTranslation()
  return (
    <section className={classes['bar']} aria-label={t('noticeBar.bar.title')}>
      <div className={classes['inner']}>
        <div className={classes['text']}>
          <RichText source={notice} toFragment={toSafeFragment} />
        </div>
        <IconButton aria-label={t('noticeBar.bar.close')} onClick={onDismiss}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
    </section>
  )
}
