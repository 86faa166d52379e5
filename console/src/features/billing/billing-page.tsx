import { Button, Stack } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Link } from '../../lib/router/router.tsx'
import { OwnBalance } from '../../ui/own-balance.tsx'
import { Page } from '../../ui/page.tsx'
import classes from './billing.module.css'
import { ReminderSection } from './reminder-section.tsx'
import { StatementSection } from './statement-section.tsx'

export function BillingPage() {
  const { t } = useTranslation()
  return (
    <Page
      title={t('billingTitle.page')}
      width="text"
      actions={
        <Button component={Link} to="/topup" className={classes['screen'] ?? ''}>
          {t('billing.topUp')}
        </Button>
      }
    >
      <Stack gap="xl">
        <div className={classes['screen']}>
          <OwnBalance />
        </div>
        <StatementSection />
        <div className={classes['screen']}>
          <ReminderSection />
        </div>
      </Stack>
    </Page>
  )
}
