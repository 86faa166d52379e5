import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { z } from 'zod'
import { sessionEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { startSession } from '../../lib/session.ts'
import { showSuccess, showWarning } from '../../lib/toast.ts'
import { Page } from '../../ui/page.tsx'
import { targetAfterLogin } from './target-after-login.ts'

const { username, password } = sessionEndpoints.login.parts.body.shape

const loginForm = z.object({
  username: checked(username, 'common.form.required'),
  password: checked(password, 'common.form.required'),
})

export function LoginPage() {
  const { t } = useTranslation()
  const [params] = useSearchParams()
  const location = useLocation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const form = useZodForm(loginForm, { username: '', password: '' })
  const hints = useHints(form)
  const login = useMutation({
    mutationFn: (body: z.output<typeof loginForm>) => call(sessionEndpoints.login, { body }),
    onSuccess: async ({ data }, body) => {
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' })
      startSession(data)
      const target = targetAfterLogin(body, location.state)
      await navigate(target.to, { replace: true })
      if (target.isDefaultPassword) showWarning(t('session.login.defaultPassword'))
      else showSuccess(t('session.login.done'))
    },
  })
  return (
    <Page title={t('session.login.title')} width="narrow">
      <form noValidate onSubmit={form.handleSubmit((values) => login.mutate(values))}>
        <Stack gap="lg">
          {params.get('expired') === 'true' && (
            <Alert color="red" role="alert">
              {t('session.login.expired')}
            </Alert>
          )}
          <TextInput
            label={t('session.login.username')}
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            {...form.register('username')}
            {...hints('username')}
          />
          <PasswordInput
            label={t('session.login.password')}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
            {...form.register('password')}
            {...hints('password')}
          />
          <Button type="submit" loading={login.isPending}>
            {t('session.login.submit')}
          </Button>
        </Stack>
      </form>
    </Page>
  )
}
