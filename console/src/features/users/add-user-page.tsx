import { PasswordInput, TextInput } from '@mantine/core'
import { z } from 'zod'
import { displayName, password, userEndpoints, username } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { FormShell } from '../../ui/form-shell.tsx'
import { Page } from '../../ui/page.tsx'
import { USERS } from './queries.ts'

const addForm = z.object({
  username: checked(username, 'user.form.usernameError'),
  display_name: checked(displayName, 'user.form.displayNameError'),
  password: checked(password, 'user.form.passwordError'),
})

export function AddUserPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useZodForm(addForm, { username: '', display_name: '', password: '' })
  const hints = useHints(form)
  const allowLeave = useLeaveGuard(form.formState.isDirty)
  const create = useChange(USERS, (body: z.output<typeof addForm>) =>
    call(userEndpoints.createUser, { body }),
  )
  const onCreated = () => {
    allowLeave()
    void navigate('/user')
    showSuccess(t('user.form.created'))
  }
  return (
    <Page title={t('userTitle.add')} width="form">
      <FormShell
        onSubmit={form.handleSubmit((values) => create.mutate(values, { onSuccess: onCreated }))}
        onCancel={() => void navigate('/user')}
        isSaving={create.isPending}
      >
        <TextInput
          label={t('user.form.username')}
          autoComplete="off"
          autoFocus
          {...form.register('username')}
          {...hints('username', t('user.form.usernameHint'))}
        />
        <TextInput
          label={t('user.form.displayName')}
          autoComplete="off"
          {...form.register('display_name')}
          {...hints('display_name', t('user.form.displayNameHint'))}
        />
        <PasswordInput
          label={t('user.form.password')}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
          {...form.register('password')}
          {...hints('password', t('user.form.passwordHint'))}
        />
      </FormShell>
    </Page>
  )
}
