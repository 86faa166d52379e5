import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { encode } from 'uqr'
import { secondFactorEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { Cancelled } from '../../lib/cancelled.ts'
import { CODE_LENGTH } from '../../lib/codes.ts'
import { NO_CACHE } from '../../lib/no-cache.ts'
import { errorText } from '../../lib/report-error.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { CodeField } from '../../ui/identity/code-field.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import classes from './account.module.css'

type Props = {
  secret: string
  /** An otpauth: URI, which contains the secret too. */
  uri: string
  /** True when a previous authenticator app is replaced. */
  isAgain: boolean
  onEnabled: (codes: readonly string[]) => Promise<void>
  onClose: () => void
}

/** White margin around a QR code in modules; cameras need it to detect the code. */
const QUIET_ZONE = 4

/** Shows the secret to scan and verifies a code from the app. */
export function TotpDialog({ secret, uri, isAgain, onEnabled, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const [isSubmitted, setIsSubmitted] = useState(false)
  const enable = useMutation({
    ...NO_CACHE,
    meta: { quiet: true },
    mutationFn: async (body: { code: string }) =>
      (await call(secondFactorEndpoints.enableTotp, { body })).data.recovery_codes,
    onSuccess: onEnabled,
    onError: () => {
      setCode('')
      setIsSubmitted(false)
      input.current?.focus()
    },
  })
  const send = (digits: string) => {
    setIsSubmitted(true)
    if (digits.length < CODE_LENGTH) input.current?.focus()
    else if (!enable.isPending) enable.mutate({ code: digits })
  }
  const { error } = enable
  const refused = error && !(error instanceof Cancelled) ? errorText(error) : undefined
  const missing =
    isSubmitted && code.length < CODE_LENGTH ? t('account.totp.codeMissing') : undefined
  return (
    <FormDialog
      onClose={onClose}
      title={t(isAgain ? 'account.totp.setUpAgainNamed' : 'account.totp.setUpNamed')}
    >
      <form
        noValidate
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          send(code)
        }}
      >
        <Stack gap="lg">
          <Text>{t('account.totp.scan')}</Text>
          {isAgain && <Text>{t('account.totp.replaces')}</Text>}
          <QrCode text={uri} label={t('account.totp.qrcode')} />
          <div>
            <Text c="dimmed" mb="xs">
              {t('account.totp.manual')}
            </Text>
            <Copyable block label={t('account.totp.secret')} text={inGroups(secret)} />
            <Text mt="xs">
              <a href={uri}>{t('account.totp.openApp')}</a>
            </Text>
          </div>
          <CodeField
            label={t('factor.totp.label')}
            description={t('account.totp.codeHint')}
            value={code}
            onChange={(digits) => {
              if (enable.isPending) return
              setCode(digits)
              enable.reset()
            }}
            onComplete={send}
            error={refused ?? missing}
            inputRef={input}
          />
          <Button type="submit" loading={enable.isPending}>
            {t('account.totp.enable')}
          </Button>
        </Stack>
      </form>
    </FormDialog>
  )
}

/** Groups of four are easier to type; apps ignore the spaces. */
const inGroups = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ')

function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={classes['qrcode']}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
