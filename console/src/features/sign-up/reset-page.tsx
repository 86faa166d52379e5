import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { emailAddress, sessionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { Link } from '../../lib/router/router.tsx'
import { showSuccess } from '../../lib/toast.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { useRefusedFields } from '../../lib/use-refused-fields.ts'
import { useHumanCheck } from '../../ui/identity/use-human-check.tsx'
import { Page } from '../../ui/page.tsx'

const RETRY_SECONDS = 30
const FIELDS = ['email']

/** Requests a reset mail. The response does not reveal whether the address has an account. */
export function ResetPage() {
  const { t } = useTranslation()
  const human = useHumanCheck()
  const countdown = useCountdown(RETRY_SECONDS)
  const [email, setEmail] = useState('')
  const [isSubmitted, setIsSubmitted] = useState(false)
  const { refused, forget, focus, refOf } = useRefusedFields(FIELDS)
  const send = useMutation({
    mutationFn: (query: { email: string; turnstile: string }) =>
      call(sessionEndpoints.sendResetMail, { query }),
    onSuccess: () => showSuccess(t('entry.reset.sent')),
    onError: countdown.stop,
    onSettled: human.renew,
  })
  const isWaiting = countdown.left > 0
  const isAddress = emailAddress.safeParse(email).success
  const submit = () => {
    setIsSubmitted(true)
    if (!isAddress) return focus('email')
    if (isWaiting || send.isPending) return
    const turnstile = human.takeToken()
    if (turnstile === null) return
    countdown.start()
    send.mutate({ email, turnstile })
  }
  const error = isSubmitted && !isAddress ? t('entry.reset.emailError') : refused['email']
  return (
    <Page title={t('entryTitle.reset')} width="narrow">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="lg">
          <TextInput
            ref={refOf('email')}
            type="email"
            name="email"
            label={t('entry.reset.email')}
            description={error === undefined && t('entry.reset.emailHint')}
            error={error}
            value={email}
            onChange={(event) => {
              setEmail(event.currentTarget.value)
              forget()
            }}
            maxLength={50}
            autoComplete="email"
            autoFocus
          />
          {human.widget}
          <Button type="submit" aria-disabled={isWaiting} data-disabled={isWaiting}>
            {isWaiting
              ? t('entry.reset.again', { seconds: countdown.left })
              : t('entry.reset.submit')}
          </Button>
          <Link to="/login">{t('entry.reset.back')}</Link>
          <div role="status">
            {send.isSuccess && <Alert color="green">{t('entry.reset.sentHint')}</Alert>}
          </div>
        </Stack>
      </form>
    </Page>
  )
}
