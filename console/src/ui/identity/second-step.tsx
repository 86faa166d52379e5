import { Stack, Title } from '@mantine/core'
import {
  type PendingSignIn,
  secondFactorSignInEndpoints,
  type SessionUser,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { refusalOf } from '../../lib/call.ts'
import { Cancelled } from '../../lib/cancelled.ts'
import './factor.messages.ts'
import classes from './identity.module.css'
import { type Proof, ProofForm } from './proof-form.tsx'

type Props = {
  pending: PendingSignIn
  onSignedIn: (user: SessionUser) => Promise<void>
  /** Called with a reason when the first step has expired. */
  onBack: (reason?: string) => void
}

export function SecondStep({ pending, onSignedIn, onBack }: Props) {
  const { t } = useTranslation()
  const { ticket } = pending
  const send = async (proof: Proof) => {
    if ('response' in proof) {
      return call(secondFactorSignInEndpoints.signInByPasskey, { body: proof })
    }
    if ('code' in proof) {
      return call(secondFactorSignInEndpoints.signInByCode, { body: { ticket, code: proof.code } })
    }
    throw new Error('a login asks for the password in its first step')
  }
  const stepBackWhenLate = (error: unknown): never => {
    const refusal = refusalOf(error)
    if (refusal?.code !== 'sign_in_expired') throw error
    onBack(refusal.message)
    throw new Cancelled()
  }
  return (
    <Stack gap="lg">
      <Title order={2}>{t('factor.step.title')}</Title>
      <ProofForm
        ways={pending.factors}
        verb={t('factor.step.submit')}
        beginPasskey={async () =>
          (
            await call(secondFactorSignInEndpoints.beginPasskeySignIn, { body: { ticket } }).catch(
              stepBackWhenLate,
            )
          ).data
        }
        onProof={async (proof) => {
          const { data } = await send(proof).catch(stepBackWhenLate)
          await onSignedIn(data)
        }}
        wayOut={
          <button type="button" className={classes['way']} onClick={() => onBack()}>
            {t('factor.step.back')}
          </button>
        }
      />
    </Stack>
  )
}
