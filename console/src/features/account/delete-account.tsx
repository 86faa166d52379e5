import { Button, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { selfEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { clearSession, forgetAnswers } from '../../lib/session.ts'
import { showSuccess } from '../../lib/toast.ts'

export function DeleteAccount({ username }: { username: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call(selfEndpoints.deleteSelf, {}),
    onSuccess: async () => {
      clearSession()
      await navigate('/login')
      forgetAnswers(client)
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
