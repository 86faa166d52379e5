import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sessionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { NO_CACHE } from '../../lib/no-cache.ts'
import { Link, useNavigate, useSearchParams } from '../../lib/router/router.tsx'
import { forgetAnswers, startSession } from '../../lib/session.ts'
import { statusQuery } from '../../lib/status.ts'
import { getStored, setStored } from '../../lib/storage.ts'
import { showSuccess } from '../../lib/toast.ts'
import { EmailWithCode } from '../../ui/identity/email-with-code.tsx'
import { type HumanCheck, useHumanCheck } from '../../ui/identity/use-human-check.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import {
  EMPTY_REGISTRATION,
  inviteCodeOf,
  type Registration,
  registrationForm,
} from './registration.ts'

const FORMS = {
  plain: registrationForm({ needsEmail: false }),
  verified: registrationForm({ needsEmail: true }),
}

function useRegister(onSettled: HumanCheck['renew']) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    ...NO_CACHE,
    mutationFn: ({ values, turnstile }: { values: Registration; turnstile: string }) =>
      call(sessionEndpoints.register, {
        query: { turnstile },
        body: { ...values, aff_code: getStored('aff') ?? '' },
      }),
    onSuccess: async (_, { values: { username, password } }) => {
      const login = { body: { username, password } }
      // Logging in by password may be off.
      const answer = await call(sessionEndpoints.login, login).catch(() => null)
      if (answer === null || 'ticket' in answer.data) {
        await navigate('/login')
      } else {
        forgetAnswers(client)
        startSession(answer.data)
        await navigate('/', { replace: true })
      }
      showSuccess(t('entry.register.done'))
    },
    onSettled,
  })
}

export function RegisterPage() {
  const { t } = useTranslation()
  const [params] = useSearchParams()
  const inviteCode = inviteCodeOf(params)
  const { data, isPending } = useQuery(statusQuery)

  useEffect(() => {
    if (inviteCode !== null) setStored('aff', inviteCode)
  }, [inviteCode])

  if (isPending) return <Loading page={t('entryTitle.register')} />
  const isClosed = data && !(data.register_enabled && data.password_register_enabled)
  return (
    <Page title={t('entryTitle.register')} width="narrow">
      <Stack gap="lg">
        {isClosed ? (
          <Alert color="yellow">{t('entry.register.closed')}</Alert>
        ) : (
          <RegisterForm needsEmail={data?.email_verification === true} />
        )}
        <Link to="/login">{t('entry.register.login')}</Link>
      </Stack>
    </Page>
  )
}

function RegisterForm({ needsEmail }: { needsEmail: boolean }) {
  const { t } = useTranslation()
  const human = useHumanCheck()
  const form = useZodForm(needsEmail ? FORMS.verified : FORMS.plain, EMPTY_REGISTRATION)
  const hints = useHints(form)
  const register = useRegister(human.renew)
  const isRepeated = form.formState.touchedFields.password2 === true
  const submit = form.handleSubmit((values) => {
    if (register.isPending) return
    const turnstile = human.takeToken()
    if (turnstile !== null) register.mutate({ values, turnstile })
  })
  const showPassword = { 'aria-label': t('common.form.showPassword') }
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="lg">
        <TextInput
          label={t('entry.register.username')}
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
          {...form.register('username')}
          {...hints('username', t('entry.register.usernameHint'))}
        />
        <PasswordInput
          label={t('entry.register.password')}
          autoComplete="new-password"
          visibilityToggleButtonProps={showPassword}
          {...form.register('password', { deps: isRepeated ? 'password2' : [] })}
          {...hints('password', t('entry.register.passwordHint'))}
        />
        <PasswordInput
          label={t('entry.register.again')}
          autoComplete="new-password"
          visibilityToggleButtonProps={showPassword}
          {...form.register('password2')}
          {...hints('password2')}
        />
        {needsEmail && (
          <EmailWithCode
            email={form.watch('email')}
            human={human}
            onNoEmail={() => void form.trigger('email', { shouldFocus: true })}
            emailField={{
              label: t('entry.register.email'),
              ...form.register('email'),
              ...hints('email'),
            }}
            codeField={{ ...form.register('verification_code'), ...hints('verification_code') }}
          />
        )}
        {human.widget}
        <Button type="submit" loading={register.isPending}>
          {t('entry.register.submit')}
        </Button>
      </Stack>
    </form>
  )
}
