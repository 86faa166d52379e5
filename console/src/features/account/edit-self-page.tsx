import { PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { displayName, password, selfEndpoints, type User, username } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { errorText } from '../../lib/report-error.ts'
import { useLocation, useNavigate } from '../../lib/router/router.tsx'
import { selfQuery } from '../../lib/self.ts'
import { DEFAULT_PASSWORD, getSession, startSession } from '../../lib/session.ts'
import { dismissToast, showSuccess } from '../../lib/toast.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { Failed } from '../../ui/failed.tsx'
import { FormShell } from '../../ui/form-shell.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'

const selfForm = z.object({
  username: checked(username, 'account.edit.usernameError'),
  display_name: checked(displayName, 'account.edit.displayNameError'),
  password: checked(z.union([z.literal(''), password]), 'account.edit.passwordError'),
})

/** After the first login, the start page leads on. */
const firstVisit = z.object({ isFirst: z.literal(true) })

export function EditSelfPage() {
  const { t } = useTranslation()
  const self = useQuery(selfQuery)
  if (self.error && !self.data) {
    return (
      <Failed
        title={t('accountTitle.edit')}
        message={errorText(self.error)}
        onRetry={() => void self.refetch()}
      />
    )
  }
  if (!self.data) return <Loading page={t('accountTitle.edit')} />
  return (
    <Page title={t('accountTitle.edit')} width="form">
      <SelfForm user={self.data} />
    </Page>
  )
}

function SelfForm({ user }: { user: User }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const isFirst = firstVisit.safeParse(useLocation().state).success
  const form = useZodForm(selfForm, {
    username: user.username,
    display_name: user.display_name,
    password: '',
  })
  const hints = useHints(form)
  const allowLeave = useLeaveGuard(form.formState.isDirty)
  const save = useMutation({
    mutationFn: (body: z.output<typeof selfForm>) => call(selfEndpoints.updateSelf, { body }),
    onSuccess: async (_, body) => {
      const { username: name, display_name } = body
      const session = getSession()
      if (session) startSession({ ...session, username: name, display_name })
      allowLeave()
      await client.invalidateQueries({ queryKey: selfQuery.queryKey })
      if (body.password !== '') dismissToast(DEFAULT_PASSWORD)
      await navigate(isFirst ? '/' : '/setting')
      showSuccess(t('account.edit.saved'))
    },
  })
  return (
    <FormShell
      onSubmit={form.handleSubmit((values) => save.mutate(values))}
      onCancel={() => void navigate('/setting')}
      isSaving={save.isPending}
    >
      <TextInput
        label={t('account.edit.username')}
        autoComplete="username"
        {...form.register('username')}
        {...hints('username', t('account.edit.usernameHint'))}
      />
      <TextInput
        label={t('account.edit.displayName')}
        autoComplete="nickname"
        {...form.register('display_name')}
        {...hints('display_name', t('account.edit.displayNameHint'))}
      />
      <PasswordInput
        label={t('account.edit.password')}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
        {...form.register('password')}
        {...hints('password', t('account.edit.passwordHint'))}
      />
      <Bound label={t('account.edit.github')} value={user.github_id} />
      <Bound label={t('account.edit.weChat')} value={user.wechat_id} />
      <Bound label={t('account.edit.email')} value={user.email} />
    </FormShell>
  )
}

/** Read-only value, changed by binding in the settings. */
function Bound({ label, value }: { label: string; value: string }) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={label}
      value={value === '' ? t('account.setting.unbound') : value}
      description={t('account.edit.boundHint')}
      readOnly
      variant="filled"
    />
  )
}
