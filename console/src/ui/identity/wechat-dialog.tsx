import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useStatus } from '../../lib/status.ts'
import { useFocusReturn } from '../use-focus-return.ts'
import classes from './identity.module.css'
import './messages.ts'

type Props = {
  verb: string
  isPending: boolean
  onCode: (code: string) => void
  onClose: () => void
}

/** Asks for the code that the WeChat official account sends its followers. */
export function WeChatDialog({ verb, isPending, onCode, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const qrCodeUrl = useStatus()?.wechat_qrcode ?? ''
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const [isSubmitted, setIsSubmitted] = useState(false)
  const submit = () => {
    setIsSubmitted(true)
    if (code.trim() === '') input.current?.focus()
    else if (!isPending) onCode(code.trim())
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={verb}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="lg">
          {qrCodeUrl !== '' && (
            <img src={qrCodeUrl} alt={t('identity.wechat.qrcode')} className={classes['qrcode']} />
          )}
          <Text>
            {t(qrCodeUrl === '' ? 'identity.wechat.howWithoutPicture' : 'identity.wechat.how')}
          </Text>
          <TextInput
            ref={input}
            name="wechat_verification_code"
            label={t('identity.wechat.code')}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={isSubmitted && code.trim() === '' && t('common.form.required')}
            maxLength={100}
            autoComplete="one-time-code"
            data-autofocus
          />
          <Button type="submit" loading={isPending}>
            {verb}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
