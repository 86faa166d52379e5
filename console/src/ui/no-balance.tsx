import { Alert, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../i18n/use-translation.ts'
import { Link } from '../lib/router/router.tsx'
import { selfQuery } from '../lib/self.ts'
import './no-balance.messages.ts'

/** Shown only while nothing can be spent. */
export function NoBalance() {
  const { t } = useTranslation()
  const { data } = useQuery(selfQuery)
  if (!data || data.quota > 0) return null
  return (
    <Alert color="yellow" role="alert" mb="md">
      <Group justify="space-between" gap="sm">
        <span>
          {t(data.used_quota === 0 ? 'noBalance.banner.textNew' : 'noBalance.banner.text')}
        </span>
        <Button component={Link} to="/topup">
          {t('noBalance.banner.topUp')}
        </Button>
      </Group>
    </Alert>
  )
}
