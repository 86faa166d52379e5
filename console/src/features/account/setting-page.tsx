import { Alert, Button, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { isRoot, type User } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { useFactorRequired } from '../../lib/required-factor.ts'
import { Link } from '../../lib/router/router.tsx'
import { selfQuery } from '../../lib/self.ts'
import { useMoney } from '../../lib/status.ts'
import { AccountBalance } from '../../ui/account-balance.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Money } from '../../ui/money.tsx'
import { SettingFrame } from '../../ui/setting-frame.tsx'
import { AccessFromOutside } from './access-from-outside.tsx'
import classes from './account.module.css'
import { Bindings } from './bindings.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Security } from './security.tsx'

export function SettingPage() {
  return useFactorRequired() ? <FactorFirst /> : <PersonalSettings />
}

/** The server refuses everything else until the account has a second factor. */
function FactorFirst() {
  const { t } = useTranslation()
  return (
    <SettingFrame>
      <Stack gap="xl" className={classes['personal'] ?? ''}>
        <Alert color="yellow" role="alert" title={t('account.security.requiredTitle')}>
          {t('account.security.requiredBody')}
        </Alert>
        <Security />
      </Stack>
    </SettingFrame>
  )
}

function PersonalSettings() {
  const { t } = useTranslation()
  const self = useQuery(selfQuery)
  if (self.error && !self.data) {
    return (
      <Failed
        title={t('accountTitle.setting')}
        message={errorText(self.error)}
        onRetry={() => void self.refetch()}
      />
    )
  }
  if (!self.data) return <Loading page={t('accountTitle.setting')} />
  return (
    <SettingFrame>
      <Stack gap="xl" className={classes['personal'] ?? ''}>
        <Profile user={self.data} />
        <Security />
        <Bindings user={self.data} />
        <AccessFromOutside />
        {!isRoot(self.data.role) && <DeleteAccount username={self.data.username} />}
      </Stack>
    </SettingFrame>
  )
}

function Profile({ user }: { user: User }) {
  const { t } = useTranslation()
  const money = useMoney()
  return (
    <section>
      <Title order={2} mb="sm">
        {t('account.setting.personal')}
      </Title>
      <DescriptionList
        items={[
          { name: t('account.setting.username'), value: user.username },
          { name: t('account.setting.displayName'), value: user.display_name },
          { name: t('account.setting.group'), value: user.group },
          {
            name: t('account.setting.quota'),
            value: <AccountBalance account={user} />,
          },
          {
            name: t('account.setting.used'),
            value: <Money quota={user.used_quota} settings={money} />,
          },
          { name: t('account.setting.requests'), value: formatNumber(user.request_count) },
        ]}
      />
      <Button component={Link} to="/user/edit" mt="lg">
        {t('account.setting.edit')}
      </Button>
    </section>
  )
}
