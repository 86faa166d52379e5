import { Stack, Title } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Link } from '../../lib/router/router.tsx'
import { useStatus } from '../../lib/status.ts'
import { OwnBalance } from '../../ui/own-balance.tsx'
import { Page } from '../../ui/page.tsx'
import { MoreCards } from './more-cards.tsx'
import { Packages } from './packages.tsx'
import { RedeemForm } from './redeem-form.tsx'

export function TopUpPage() {
  const { t } = useTranslation()
  const status = useStatus()
  return (
    <Page
      title={t('topupTitle.nav')}
      width="text"
      actions={<Link to="/billing">{t('topup.statements')}</Link>}
    >
      <Stack gap="xl">
        <OwnBalance />
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
