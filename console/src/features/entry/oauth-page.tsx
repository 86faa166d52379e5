import { Alert, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { type OAuthProvider, oauthEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { CallError } from '../../lib/call.ts'
import { errorText } from '../../lib/report-error.ts'
import { forgetAnswers, startSession } from '../../lib/session.ts'
import { showError, showSuccess } from '../../lib/toast.ts'
import { Page } from '../../ui/page.tsx'

const RETRIES_MAX = 3
/** The first retry comes after 2 s, each further one 2 s later than the one before. */
const RETRY_STEP_MS = 2000

const CALLBACKS = {
  github: oauthEndpoints.signInByGitHub,
  oidc: oauthEndpoints.signInByOidc,
  lark: oauthEndpoints.signInByLark,
} as const satisfies Record<OAuthProvider, object>

/** The settings lead to the login whoever is signed in nowhere. */
const SETTINGS = '/setting'

function useExchange(provider: OAuthProvider) {
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
    onSuccess: async ({ data: user }) => {
      forgetAnswers(client)
      // An answer without a user has bound the account to the one who is signed in already.
      if (!user) {
        await leave()
        return showSuccess(t('entry.oauth.bound'))
      }
      if ('ticket' in user) return
      startSession(user)
      await navigate('/token', { replace: true })
      showSuccess(t('entry.oauth.done'))
    },
    onError: async () => {
      await leave()
      showError(t('entry.oauth.failed'))
    },
  })
}

/** The browser is back from an identity server. */
function OAuthPage({ provider }: { provider: OAuthProvider }) {
  const { t } = useTranslation()
  const [params] = useSearchParams()
  const isStarted = useRef(false)
  const { mutate, failureCount, failureReason } = useExchange(provider)
  const code = params.get('code') ?? ''
  const state = params.get('state') ?? ''

  useEffect(() => {
    // The code is good once, so a second run of this effect must not send it again.
    if (isStarted.current) return
    isStarted.current = true
    mutate({ code, state })
  }, [mutate, code, state])

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
