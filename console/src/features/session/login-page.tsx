import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { sessionEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { forgetAnswers, startSession } from '../../lib/session.ts'
import { useStatus } from '../../lib/status.ts'
import { showSuccess, showWarning } from '../../lib/toast.ts'
import { Arriving } from '../../ui/arriving.tsx'
import { Page } from '../../ui/page.tsx'
import { offeredWays } from './offered-ways.ts'
import { targetAfterLogin } from './target-after-login.ts'

const loadOtherWays = async () => (await import('./other-ways.tsx')).OtherWays

type Credentials = { username: string; password: string }

function useLogin() {
  const { t } = useTranslation()
  const location = useLocation()
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Credentials) => call(sessionEndpoints.login, { body }),
    onSuccess: async ({ data }, body) => {
      if ('ticket' in data) return
      forgetAnswers(client)
      startSession(data)
      const target = targetAfterLogin(body, location.state)
      await navigate(target.to, { replace: true })
      if (target.isDefaultPassword) showWarning(t('session.login.defaultPassword'))
      else showSuccess(t('session.login.done'))
    },
  })
}

/** Two fields need no form library, which keeps the first page of every visit small. */
export function LoginPage() {
  const { t } = useTranslation()
  const [params] = useSearchParams()
  const [values, setValues] = useState<Credentials>({ username: '', password: '' })
  const [isAsked, setIsAsked] = useState(false)
  const username = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const login = useLogin()
  const ways = offeredWays(useStatus())
  const isExpired = params.get('expired') === 'true'
  const submit = () => {
    setIsAsked(true)
    if (values.username === '') username.current?.focus()
    else if (values.password === '') password.current?.focus()
    else if (!login.isPending) login.mutate(values)
  }
  const field = (name: keyof Credentials) => ({
    name,
    value: values[name],
    maxLength: 100,
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      setValues({ ...values, [name]: event.currentTarget.value }),
    error: isAsked && values[name] === '' && t('common.form.required'),
  })
  return (
    <Page title={t('sessionTitle.login')} width="narrow">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="lg">
          {isExpired && (
            <Alert color="red" role="alert">
              {t('session.login.expired')}
            </Alert>
          )}
          <TextInput
            ref={username}
            label={t('session.login.username')}
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            {...field('username')}
          />
          <PasswordInput
            ref={password}
            label={t('session.login.password')}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
            {...field('password')}
          />
          <Button type="submit" loading={login.isPending}>
            {t('session.login.submit')}
          </Button>
          <div style={{ display: 'flex', justifyContent: 'space-between' }}>
            <Link to="/reset">{t('entryTitle.reset')}</Link>
            <Link to="/register">{t('entryTitle.register')}</Link>
          </div>
        </Stack>
      </form>
      {ways.length > 0 && <Arriving name="other-ways" load={loadOtherWays} props={{ ways }} />}
    </Page>
  )
}
