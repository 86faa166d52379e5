import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { emailAddress, sessionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import './messages.ts'
import type { HumanCheck } from './use-human-check.tsx'

const RESEND_SECONDS = 30

type Props = {
  email: string
  human: HumanCheck
  /** Called instead of sending when the address is missing or invalid. */
  onInvalid: () => void
}

/** Mails a verification code. Resending is possible after half a minute. */
export function SendCodeButton({ email, human, onInvalid }: Props) {
  const { t } = useTranslation()
  const countdown = useCountdown(RESEND_SECONDS)
  const send = useMutation({
    mutationFn: (query: { email: string; turnstile: string }) =>
      call(sessionEndpoints.sendVerificationCode, { query }),
    onSuccess: () => showSuccess(t('identity.code.sent')),
    onError: countdown.stop,
    onSettled: human.renew,
  })
  const isWaiting = countdown.left > 0
  const ask = () => {
    if (isWaiting || send.isPending) return
    if (!emailAddress.safeParse(email).success) return onInvalid()
    const turnstile = human.takeToken()
    if (turnstile === null) return
    countdown.start()
    send.mutate({ email, turnstile })
  }
  return (
    <Button variant="default" aria-disabled={isWaiting} data-disabled={isWaiting} onClick={ask}>
      {isWaiting ? t('identity.code.resend', { seconds: countdown.left }) : t('identity.code.send')}
    </Button>
  )
}
