import { Button, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { isRoot, selfEndpoints, type User } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatNumber } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { selfQuery } from '../../lib/self.ts'
import { clearSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { Facts } from '../../ui/facts.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'

export function SettingPage() {
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
    <Page title={t('accountTitle.setting')} width="form">
      <Stack gap="xl">
        <Profile user={self.data} />
        {!isRoot(self.data.role) && <DeleteAccount username={self.data.username} />}
      </Stack>
    </Page>
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
      <Facts
        items={[
          { name: t('account.setting.username'), value: user.username },
          { name: t('account.setting.displayName'), value: user.display_name },
          { name: t('account.setting.group'), value: user.group },
          {
            name: t('account.setting.quota'),
            value: <Money quota={user.quota} settings={money} />,
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

function DeleteAccount({ username }: { username: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call(selfEndpoints.deleteSelf, {}),
    onSuccess: async () => {
      clearSession()
      await navigate('/login')
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' })
      showSuccess(t('account.setting.deleted'))
    },
  })
  const ask = async () => {
    const yes = await confirm({
      title: t('account.setting.deleteTitle', { name: username }),
      body: t('account.setting.deleteBody'),
      verb: t('account.setting.deleteVerb', { name: username }),
      danger: true,
      typed: { text: username, error: t('account.setting.deleteMismatch') },
    })
    if (yes) remove.mutate()
  }
  return (
    <section>
      <Title order={2}>{t('account.setting.danger')}</Title>
      <Text c="dimmed" mb="md">
        {t('account.setting.dangerHint')}
      </Text>
      <Button variant="outline" color="red" loading={remove.isPending} onClick={() => void ask()}>
        {t('account.setting.delete')}
      </Button>
    </section>
  )
}
