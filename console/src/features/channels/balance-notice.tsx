import { CloseButton } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useStored } from '../../lib/use-stored.ts'
import classes from './channels.module.css'

/** Shown once: explains why the balance of some channel types reads 0. */
export function BalanceNotice() {
  const { t } = useTranslation()
  const [prompted, setPrompted] = useStored('prompt-channel-balance')
  if (prompted === 'true') return null
  return (
    <div className={classes['notice']} role="note">
      <p>{t('channel.list.balanceNotice')}</p>
      <CloseButton
        size="sm"
        aria-label={t('channel.list.dismissNotice')}
        onClick={() => setPrompted('true')}
      />
    </div>
  )
}
