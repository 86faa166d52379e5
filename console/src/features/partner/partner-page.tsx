import { Button, List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { GIFT_CODE_LENGTH, GIFT_PERCENT, type PartnerPlan } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link, useLocation } from '../../lib/router/router.tsx'
import { useSession } from '../../lib/session.ts'
import { useConsoleAddress } from '../../lib/status.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { earnedFen, formatFen, inviteLink, missingFen, PLAN } from './earnings.ts'
import { FriendsTable } from './friends-table.tsx'
import { planQuery } from './queries.ts'

const EXAMPLE_USD = 100

export function PartnerPage() {
  const { t } = useTranslation()
  const user = useSession()
  return (
    <Page title={t('partnerTitle.nav')} width="text">
      <Stack gap="xl">
        <Explanation />
        {user ? <OwnInvitations /> : <SignIn />}
      </Stack>
    </Page>
  )
}

function Explanation() {
  const { t } = useTranslation()
  return (
    <section>
      <Text mb="md">{t('partner.plan.intro')}</Text>
      <Title order={2} mb="sm">
        {t('partner.plan.title')}
      </Title>
      <List spacing="xs">
        <List.Item>
          {t('partner.plan.cashBack', {
            usd: EXAMPLE_USD,
            cny: formatFen(earnedFen(EXAMPLE_USD)),
          })}
        </List.Item>
        <List.Item>{t('partner.plan.gift', { percent: GIFT_PERCENT })}</List.Item>
        <List.Item>{t('partner.plan.giftCode', { length: GIFT_CODE_LENGTH })}</List.Item>
        <List.Item>
          {t('partner.plan.withdrawal', {
            least: PLAN.withdrawalFenMin / 100,
            hours: PLAN.reviewHours,
          })}
        </List.Item>
      </List>
    </section>
  )
}

function SignIn() {
  const { t } = useTranslation()
  const from = useLocation()
  return (
    <Stack gap="md" align="flex-start">
      <Text>{t('partner.plan.signIn')}</Text>
      <Button component={Link} to="/login" state={{ from }}>
        {t('partner.plan.login')}
      </Button>
    </Stack>
  )
}

function OwnInvitations() {
  const { t } = useTranslation()
  const plan = useQuery(planQuery)
  return (
    <>
      <section aria-busy={plan.isPending}>
        <Title order={2} mb="sm">
          {t('partner.own.title')}
        </Title>
        {plan.error && !plan.data ? (
          <Empty
            alert
            title={t('partner.own.failed')}
            body={errorText(plan.error)}
            action={
              <Button variant="default" onClick={() => void plan.refetch()}>
                {t('common.action.retry')}
              </Button>
            }
          />
        ) : (
          <OwnPlan plan={plan.data} />
        )}
      </section>
      <FriendsTable />
    </>
  )
}

/** Labels are shown before their values arrive, so that the layout does not shift. */
function OwnPlan({ plan }: { plan: PartnerPlan | undefined }) {
  const { t } = useTranslation()
  const address = useConsoleAddress()
  const link = plan ? inviteLink(address, plan.aff_code) : ''
  return (
    <Stack gap="md">
      <div>
        <Text c="dimmed">{t('partner.own.inviteLink')}</Text>
        <Copyable block text={link} label={t('partner.own.inviteLink')} />
      </div>
      <DescriptionList
        items={[
          {
            name: t('partner.own.giftCode'),
            value: plan && <Copyable text={plan.gift_code} label={t('partner.own.giftCode')} />,
          },
          {
            name: t('partner.own.earnings'),
            value: plan && <Earnings fen={plan.invite_balance} />,
          },
        ]}
      />
    </Stack>
  )
}

function Earnings({ fen }: { fen: number }) {
  const { t } = useTranslation()
  const missing = missingFen(fen)
  return (
    <>
      <strong>{formatFen(fen)}</strong>
      <Text component="span" c="dimmed" ml="sm">
        {missing === 0
          ? t('partner.own.enough')
          : t('partner.own.missing', { amount: formatFen(missing) })}
      </Text>
    </>
  )
}
