import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { PendingSignIn, SessionUser } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { type Credentials, logIn } from '../../lib/first-calls.ts'
import { loadChunk } from '../../lib/load-chunk.ts'
import { NO_CACHE } from '../../lib/no-cache.ts'
import { arePasskeysSupported } from '../../lib/passkeys.ts'
import { Link, useLocation, useNavigate, useSearchParams } from '../../lib/router/router.tsx'
import { DEFAULT_PASSWORD, forgetAnswers, startSession } from '../../lib/session.ts'
import { useStatus } from '../../lib/status.ts'
import { showSuccess, showWarning } from '../../lib/toast.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Page } from '../../ui/page.tsx'
import { offeredWays } from './offered-ways.ts'
import { type Target, targetAfterLogin } from './target-after-login.ts'

const loadOtherWays = () => import('./other-ways.tsx').then((module) => module.OtherWays)
const loadSecondStep = () =>
  import('../../ui/identity/second-step.tsx').then((module) => module.SecondStep)
const loadPasskeySignIn = () =>
  loadChunk('passkey', () =>
    import('./passkey-sign-in.ts').then((module) => module.signInByPasskey),
  )

type Steps = {
  onSignedIn: (user: SessionUser, target: Target) => Promise<void>
  /** Called when the account has a second factor. */
  onPending: (pending: PendingSignIn, target: Target) => void
}

function useAfterLogin() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  return async (user: SessionUser, { to, isDefaultPassword }: Target) => {
    forgetAnswers(client)
    startSession(user)
    await navigate(to, { replace: true, state: { isFirst: isDefaultPassword } })
    if (isDefaultPassword) showWarning(t('session.login.defaultPassword'), DEFAULT_PASSWORD)
    else showSuccess(t('session.login.done'))
  }
}

export function LoginPage() {
  const { t } = useTranslation()
  const onSignedIn = useAfterLogin()
  const [username, setUsername] = useState('')
  const [second, setSecond] = useState<{ pending: PendingSignIn; target: Target }>()
  const [problem, setProblem] = useState('')
  const back = (reason = '') => {
    setSecond(undefined)
    setProblem(reason)
  }
  return (
    <Page title={t('sessionTitle.login')} width="narrow">
      {second ? (
        <LazyPart
          name="second-step"
          load={loadSecondStep}
          props={{
            pending: second.pending,
            onSignedIn: (user) => onSignedIn(user, second.target),
            onBack: back,
          }}
          onFail={back}
        />
      ) : (
        <FirstStep
          problem={problem}
          username={username}
          onUsername={setUsername}
          onSignedIn={onSignedIn}
          onPending={(pending, target) => setSecond({ pending, target })}
        />
      )}
    </Page>
  )
}

type FirstStepProps = Steps & {
  /** Why the second step returned here. */
  problem: string
  username: string
  onUsername: (username: string) => void
}

/** Does without the form library, to keep the first page load small. */
function FirstStep({ problem, username, onUsername, onSignedIn, onPending }: FirstStepProps) {
  const { t } = useTranslation()
  const location = useLocation()
  const [params] = useSearchParams()
  const [password, setPassword] = useState('')
  const [isSubmitted, setIsSubmitted] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)
  const ways = offeredWays(useStatus())
  const login = useMutation({
    ...NO_CACHE,
    mutationFn: (body: Credentials) => logIn(body),
    onSuccess: async (data, body) => {
      const target = targetAfterLogin(body, location.state)
      if ('ticket' in data) onPending(data, target)
      else await onSignedIn(data, target)
    },
  })
  const passkey = useMutation({
    mutationFn: async () => (await loadPasskeySignIn())(),
    onSuccess: (user) =>
      onSignedIn(user, targetAfterLogin({ username: '', password: '' }, location.state)),
  })
  const alert =
    problem || (params.get('expired') === 'true' ? t('session.login.expired') : undefined)
  const submit = () => {
    setIsSubmitted(true)
    if (username === '') nameField.current?.focus()
    else if (password === '') passwordField.current?.focus()
    else if (!login.isPending) login.mutate({ username, password })
  }
  const missing = (value: string) => isSubmitted && value === '' && t('common.form.required')
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="lg">
          {alert !== undefined && (
            <Alert color="red" role="alert">
              {alert}
            </Alert>
          )}
          <TextInput
            ref={nameField}
            name="username"
            label={t('session.login.username')}
            value={username}
            maxLength={100}
            onChange={(event) => onUsername(event.currentTarget.value)}
            error={missing(username)}
            autoComplete="username"
            autoCapitalize="none"
            autoFocus={username === ''}
          />
          <PasswordInput
            ref={passwordField}
            name="password"
            label={t('session.login.password')}
            value={password}
            maxLength={100}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={missing(password)}
            autoComplete="current-password"
            autoFocus={username !== ''}
            visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
          />
          <Button type="submit" loading={login.isPending}>
            {t('session.login.submit')}
          </Button>
          {arePasskeysSupported() && (
            <Button variant="default" loading={passkey.isPending} onClick={() => passkey.mutate()}>
              {t('session.login.passkey')}
            </Button>
          )}
          <div style={{ display: 'flex', justifyContent: 'space-between' }}>
            <Link to="/reset">{t('entryTitle.reset')}</Link>
            <Link to="/register">{t('entryTitle.register')}</Link>
          </div>
        </Stack>
      </form>
      {ways.length > 0 && (
        <LazyPart
          name="other-ways"
          load={loadOtherWays}
          props={{ ways, onSignedIn, onPending } satisfies Steps & { ways: typeof ways }}
        />
      )}
    </>
  )
}
