import { Button, Group, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../i18n/use-translation.ts'
import { daysText } from '../../lib/days-text.ts'
import { formatNumber } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { selfQuery } from '../../lib/self.ts'
import { useMoney } from '../../lib/status.ts'
import { AccountBalance } from '../../ui/account-balance.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Money } from '../../ui/money.tsx'
import { NoBalance } from '../../ui/no-balance.tsx'
import { RetryLine } from '../../ui/retry-line.tsx'

const PLACES = [
  { to: '/catalog', label: 'catalogTitle.nav' },
  { to: '/token', label: 'tokenTitle.list' },
  { to: '/play', label: 'playTitle.nav' },
  { to: '/topup', label: 'topupTitle.nav' },
] as const

/** Height of the facts this placeholder stands for, in pixels. */
const FACTS_HEIGHT = 133

export function OwnAccount() {
  const { t, language } = useTranslation()
  const money = useMoney()
  const { data, error, refetch } = useQuery(selfQuery)
  const lasts = daysText(data?.days_left ?? null, language)
  return (
    <section>
      <Title order={2} mb="sm">
        {t('home.account.title')}
      </Title>
      <Stack gap="lg">
        <NoBalance />
        {data ? (
          <DescriptionList
            items={[
              {
                name: t('home.account.balance'),
                value: <AccountBalance account={data} />,
              },
              ...(lasts === null ? [] : [{ name: t('home.account.lasts'), value: lasts }]),
              {
                name: t('home.account.used'),
                value: <Money quota={data.used_quota} settings={money} />,
              },
              { name: t('home.account.requests'), value: formatNumber(data.request_count) },
            ]}
          />
        ) : error ? (
          <p>
            <RetryLine error={error} onRetry={() => void refetch()} />
          </p>
        ) : (
          <Skeleton height={FACTS_HEIGHT} />
        )}
        <Group gap="sm">
          {PLACES.map(({ to, label }) => (
            <Button key={to} component={Link} to={to} variant="default">
              {t(label)}
            </Button>
          ))}
        </Group>
      </Stack>
    </section>
  )
}
