import { Button, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { daysText } from '../../lib/days-text.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { selfQuery } from '../../lib/self.ts'
import { useStatus } from '../../lib/status.ts'
import { AccountBalance } from '../../ui/account-balance.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { MoreCards } from './more-cards.tsx'
import { Packages } from './packages.tsx'
import { RedeemForm } from './redeem-form.tsx'
import classes from './top-up.module.css'

const VALIDITY_MONTHS = 9

export function TopUpPage() {
  const { t, i18n } = useTranslation()
  const status = useStatus()
  const self = useQuery(selfQuery)
  const time = daysText(self.data?.days_left ?? null, i18n.language)
  return (
    <Page title={t('topupTitle.nav')} width="text">
      <Stack gap="xl">
        {self.error && !self.data ? (
          <Empty
            alert
            title={t('common.form.loadFailed')}
            body={errorText(self.error)}
            action={
              <Button variant="default" onClick={() => void self.refetch()}>
                {t('common.action.retry')}
              </Button>
            }
          />
        ) : (
          <dl className={classes['balance']}>
            <dt>{t('topup.balance.remaining')}</dt>
            <dd aria-live="polite">
              {self.data ? <AccountBalance account={self.data} /> : NO_VALUE}
            </dd>
            {time !== null && (
              <dd className={classes['hint']}>{t('topup.balance.lasts', { time })}</dd>
            )}
            <dd className={classes['hint']}>
              {t('topup.balance.validity', { months: VALIDITY_MONTHS })}
            </dd>
          </dl>
        )}
        <section>
          <Title order={2} mb="sm">
            {t('topup.code.title')}
          </Title>
          <RedeemForm />
        </section>
        <section>
          <Title order={2}>{t('topup.shop.title')}</Title>
          {status && <Packages status={status} />}
        </section>
        {status && <MoreCards links={status.links} />}
      </Stack>
    </Page>
  )
}
