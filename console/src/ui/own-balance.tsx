import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../i18n/use-translation.ts'
import { daysText } from '../lib/days-text.ts'
import { NO_VALUE } from '../lib/format.ts'
import { VALIDITY_MONTHS } from '../lib/quota-validity.ts'
import { errorText } from '../lib/report-error.ts'
import { selfQuery } from '../lib/self.ts'
import { isUnlimited } from '../lib/unlimited.ts'
import { AccountBalance } from './account-balance.tsx'
import { Empty } from './empty.tsx'
import './own-balance.messages.ts'
import classes from './own-balance.module.css'

/** The balance of the reader, and how long it lasts. */
export function OwnBalance() {
  const { t, language } = useTranslation()
  const self = useQuery(selfQuery)
  const time = daysText(self.data?.days_left ?? null, language)
  if (self.error && !self.data) {
    return (
      <Empty
        alert
        title={t('ownBalance.balance.failed')}
        body={errorText(self.error)}
        action={
          <Button variant="default" onClick={() => void self.refetch()}>
            {t('common.action.retry')}
          </Button>
        }
      />
    )
  }
  return (
    <dl className={classes['balance']}>
      <dt>{t('ownBalance.balance.remaining')}</dt>
      <dd aria-live="polite">{self.data ? <AccountBalance account={self.data} /> : NO_VALUE}</dd>
      {time !== null && (
        <dd className={classes['hint']}>{t('ownBalance.balance.lasts', { time })}</dd>
      )}
      {!(self.data && isUnlimited(self.data)) && (
        <dd className={classes['hint']}>
          {t('ownBalance.balance.validity', { months: VALIDITY_MONTHS })}
        </dd>
      )}
    </dl>
  )
}
