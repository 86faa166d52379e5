import { Button, Group, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../lib/format.ts'
import { selfQuery } from '../../lib/self.ts'
import { useMoney } from '../../lib/status.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Money } from '../../ui/money.tsx'

const PLACES = [
  { to: '/token', label: 'tokenTitle.list' },
  { to: '/dashboard', label: 'dashboardTitle.nav' },
  { to: '/log', label: 'logTitle.list' },
  { to: '/topup', label: 'topupTitle.nav' },
] as const

/** Height of the facts this placeholder stands for, in pixels. */
const FACTS_HEIGHT = 100

export function OwnAccount() {
  const { t } = useTranslation()
  const money = useMoney()
  const { data, isError } = useQuery(selfQuery)
  return (
    <section>
      <Title order={2} mb="sm">
        {t('home.account.title')}
      </Title>
      <Stack gap="lg">
        {data ? (
          <DescriptionList
            items={[
              {
                name: t('home.account.balance'),
                value: <Money quota={data.quota} settings={money} />,
              },
              {
                name: t('home.account.used'),
                value: <Money quota={data.used_quota} settings={money} />,
              },
              { name: t('home.account.requests'), value: formatNumber(data.request_count) },
            ]}
          />
        ) : (
          !isError && <Skeleton height={FACTS_HEIGHT} />
        )}
        <Group gap="sm">
          {PLACES.map(({ to, label }, index) => (
            <Button key={to} component={Link} to={to} variant={index === 0 ? 'filled' : 'default'}>
              {t(label)}
            </Button>
          ))}
        </Group>
      </Stack>
    </section>
  )
}
