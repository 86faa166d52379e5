import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type SecondFactor, secondFactorEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { showSuccess } from '../../lib/toast.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Block } from './block.tsx'

const loadTotpDialog = async () => (await import('./totp-dialog.tsx')).TotpDialog

export type FactorProps = {
  factor: SecondFactor
  /** Receives the recovery codes if the server has just created some. */
  onChange: (codes?: readonly string[]) => Promise<void>
}

export function Authenticator({ factor, onChange }: FactorProps) {
  const { t } = useTranslation()
  /**
   * Set during setup. Held in state because the mutation cache would keep the secret while the page
   * is open.
   */
  const [secret, setSecret] = useState<{ secret: string; uri: string }>()
  const begin = useMutation({
    mutationFn: async () => setSecret((await call(secondFactorEndpoints.beginTotp, {})).data),
  })
  const close = () => setSecret(undefined)
  return (
    <Block
      title={t('account.totp.title')}
      state={
        <StateDot
          tone={factor.totp ? 'good' : 'off'}
          text={t(factor.totp ? 'account.security.on' : 'account.security.off')}
        />
      }
      hint={t('account.totp.hint')}
      action={
        <>
          <Button
            variant="default"
            loading={begin.isPending}
            aria-label={t(factor.totp ? 'account.totp.setUpAgainNamed' : 'account.totp.setUpNamed')}
            onClick={() => begin.mutate()}
          >
            {t(factor.totp ? 'account.totp.setUpAgain' : 'account.totp.setUp')}
          </Button>
          {factor.totp && <RemoveApp factor={factor} onChange={onChange} />}
        </>
      }
    >
      {secret && (
        <LazyPart
          name="totp-dialog"
          load={loadTotpDialog}
          props={{
            ...secret,
            isAgain: factor.totp,
            onEnabled: async (codes) => {
              close()
              await onChange(codes)
              showSuccess(t('account.totp.enabled'))
            },
            onClose: close,
          }}
          onFail={close}
        />
      )}
    </Block>
  )
}

function RemoveApp({ factor, onChange }: FactorProps) {
  const { t } = useTranslation()
  const remove = useMutation({
    mutationFn: () => call(secondFactorEndpoints.disableTotp, {}),
    onSuccess: async () => {
      await onChange()
      showSuccess(t('account.totp.removed'))
    },
  })
  const ask = async () => {
    const isLast = factor.passkeys.length === 0
    const yes = await confirm({
      title: t('account.totp.removeTitle'),
      body: t(isLast ? 'account.totp.removeLast' : 'account.totp.removeBody'),
      verb: t('account.totp.removeVerb'),
      danger: true,
    })
    if (yes) remove.mutate()
  }
  return (
    <Button
      variant="default"
      loading={remove.isPending}
      aria-label={t('account.totp.removeNamed')}
      onClick={() => void ask()}
    >
      {t('account.security.remove')}
    </Button>
  )
}
