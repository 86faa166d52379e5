import { TextInput, type TextInputProps } from '@mantine/core'
import type { RefCallback } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import classes from './identity.module.css'
import './messages.ts'
import { SendCodeButton } from './send-code-button.tsx'
import type { HumanCheck } from './use-human-check.tsx'

type Field = TextInputProps & { ref: RefCallback<HTMLInputElement> }

type Props = {
  email: string
  human: HumanCheck
  onNoEmail: () => void
  emailField: Field
  codeField: Field
}

export function EmailWithCode({ email, human, onNoEmail, emailField, codeField }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        type="email"
        autoComplete="email"
        maxLength={50}
        inputContainer={(input) => (
          <div className={classes['withButton']}>
            {input}
            <SendCodeButton email={email} human={human} onInvalid={onNoEmail} />
          </div>
        )}
        {...emailField}
      />
      <TextInput
        label={t('identity.code.label')}
        autoComplete="one-time-code"
        maxLength={100}
        {...codeField}
      />
    </>
  )
}
