import { Modal, Stack, Text } from '@mantine/core'
import {
  CONFIRMATION_SECONDS,
  type ConfirmationWay,
  secondFactorEndpoints,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { answerConfirmation } from '../../lib/confirmation.ts'
import { useFocusReturn } from '../use-focus-return.ts'
import './factor.messages.ts'
import classes from './identity.module.css'
import { ProofForm } from './proof-form.tsx'

const cancel = () => answerConfirmation(false)

/**
 * Asks the user to confirm their identity before a sensitive action. Mounted once, in the app
 * frame.
 */
export function ConfirmationDialog({ ways }: { ways: readonly ConfirmationWay[] }) {
  const { t } = useTranslation()
  useFocusReturn()
  return (
    <Modal
      opened
      // Above the dialog whose action needs the confirmation.
      zIndex={250}
      // lib/confirmation.ts handles Escape before any dialog below does.
      closeOnEscape={false}
      onClose={cancel}
      title={t('factor.confirm.title')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <Stack gap="lg">
        <Text c="dimmed">{t('factor.confirm.why', { minutes: CONFIRMATION_SECONDS / 60 })}</Text>
        <ProofForm
          ways={ways}
          verb={t('factor.confirm.submit')}
          beginPasskey={async () =>
            (await call(secondFactorEndpoints.beginPasskeyConfirmation, {})).data
          }
          onProof={async (proof) => {
            await call(secondFactorEndpoints.confirm, { body: proof })
            answerConfirmation(true)
          }}
          wayOut={
            <button type="button" className={classes['way']} onClick={cancel}>
              {t('common.action.cancel')}
            </button>
          }
        />
      </Stack>
    </Modal>
  )
}
