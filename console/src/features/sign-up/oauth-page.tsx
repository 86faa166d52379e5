import { Alert, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import {
  type OAuthProvider,
  oauthEndpoints,
  type PendingSignIn,
  type SessionUser,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { CallError } from '../../lib/call.ts'
import { errorText } from '../../lib/report-error.ts'
import { useNavigate, useSearchParams } from '../../lib/router/router.tsx'
import { forgetAnswers, startSession } from '../../lib/session.ts'
import { showError, showSuccess } from '../../lib/toast.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Page } from '../../ui/page.tsx'

const loadSecondStep = async () => (await import('../../ui/identity/second-step.tsx')).SecondStep

const RETRIES_MAX = 3
/** The first retry waits 2 s; each further wait is 2 s longer. */
const RETRY_STEP_MS = 2000

const CALLBACKS = {
  github: oauthEndpoints.signInByGitHub,
  oidc: oauthEndpoints.signInByOidc,
  lark: oauthEndpoints.signInByLark,
} as const satisfies Record<OAuthProvider, object>

/** Redirects visitors to the login page. */
const SETTINGS = '/setting'

type Steps = {
  onSignedIn: (user: SessionUser) => Promise<void>
  /** Called when the account has a second factor. */
  onPending: (pending: PendingSignIn) => void
}

function useExchange(provider: OAuthProvider, { onSignedIn, onPending }: Steps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const leave = () => navigate(SETTINGS, { replace: true })
  return useMutation({
    mutationFn: (query: { code: string; state: string }) => {
      if (query.code === '') throw new Error(t('entry.oauth.cancelled'))
      return call(CALLBACKS[provider], { query })
    },
    retry: (failureCount, error) => error instanceof CallError && failureCount < RETRIES_MAX,
    retryDelay: (failureCount) => (failureCount + 1) * RETRY_STEP_MS,
    onSuccess: async ({ data }) => {
      // An answer without a user means the identity was bound to the logged-in account.
      if (!data) {
        forgetAnswers(client)
        await leave()
        return showSuccess(t('entry.oauth.bound'))
      }
      if ('ticket' in data) onPending(data)
      else await onSignedIn(data)
    },
    onError: async () => {
      await leave()
      showError(t('entry.oauth.failed'))
    },
  })
}

function OAuthPage({ provider }: { provider: OAuthProvider }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [params, setParams] = useSearchParams()
  const isStarted = useRef(false)
  const [pending, setPending] = useState<PendingSignIn>()
  const onSignedIn = async (user: SessionUser) => {
    forgetAnswers(client)
    startSession(user)
    await navigate('/token', { replace: true })
    showSuccess(t('entry.oauth.done'))
  }
  const { mutate, failureCount, failureReason } = useExchange(provider, {
    onSignedIn,
    onPending: (next) => {
      setPending(next)
      // The code in the URL is used up.
      setParams({}, { replace: true })
    },
  })
  const code = params.get('code') ?? ''
  const state = params.get('state') ?? ''
  const backToLogin = async (reason?: string) => {
    await navigate('/login', { replace: true })
    if (reason !== undefined) showError(reason)
  }

  useEffect(() => {
    // The code is valid once, so a second run of this effect must not send it again.
    if (isStarted.current) return
    isStarted.current = true
    mutate({ code, state })
  }, [mutate, code, state])

  if (pending) {
    return (
      <Page title={t('sessionTitle.login')} width="narrow">
        <LazyPart
          name="second-step"
          load={loadSecondStep}
          props={{ pending, onSignedIn, onBack: (reason) => void backToLogin(reason) }}
          onFail={() => void backToLogin()}
        />
      </Page>
    )
  }
  return (
    <Page title={t('sessionTitle.login')} width="narrow">
      <Stack gap="lg">
        <Text role="status">
          {failureCount === 0
            ? t('entry.oauth.processing')
            : t('entry.oauth.retry', {
                attempt: Math.min(failureCount, RETRIES_MAX),
                most: RETRIES_MAX,
              })}
        </Text>
        {failureReason && (
          <Alert color="red" role="alert">
            {errorText(failureReason)}
          </Alert>
        )}
      </Stack>
    </Page>
  )
}

export const OAuthPages = {
  github: () => <OAuthPage provider="github" />,
  oidc: () => <OAuthPage provider="oidc" />,
  lark: () => <OAuthPage provider="lark" />,
} as const
