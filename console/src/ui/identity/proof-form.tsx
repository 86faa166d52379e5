import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { ConfirmationWay } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Cancelled } from '../../lib/cancelled.ts'
import { recoveryCodeOf } from '../../lib/codes.ts'
import { loadChunk } from '../../lib/load-chunk.ts'
import { NO_CACHE } from '../../lib/no-cache.ts'
import { arePasskeysSupported } from '../../lib/passkeys.ts'
import { errorText } from '../../lib/report-error.ts'
import { CodeField } from './code-field.tsx'
import './factor.messages.ts'
import classes from './identity.module.css'

type PasskeyRequest = { ticket: string; options: object }
type PasskeyProof = { ticket: string; response: { id: string } }

export type Proof = { password: string } | { code: string } | PasskeyProof

type Props = {
  ways: readonly ConfirmationWay[]
  verb: string
  beginPasskey: () => Promise<PasskeyRequest>
  /** A rejection is shown at the field and keeps the form open. */
  onProof: (proof: Proof) => Promise<void>
  /** Placed after the links to the alternative ways. */
  wayOut: ReactNode
}

/** In order of preference; the recovery code is the last resort. */
const ORDER: readonly ConfirmationWay[] = ['totp', 'password', 'passkey', 'recovery_code']

const TEXTS = {
  totp: 'totp',
  password: 'password',
  recovery_code: 'recovery',
} as const

type Typed = keyof typeof TEXTS

const isTyped = (way: ConfirmationWay): way is Typed => way !== 'passkey'

const passkeyProof = async (request: PasskeyRequest): Promise<PasskeyProof> => {
  const { askForPasskey } = await loadChunk('passkey', () => import('./passkey.ts'))
  return askForPasskey(request)
}

const shown = (error: Error | null) =>
  error === null || error instanceof Cancelled ? undefined : errorText(error)

export function ProofForm({ ways, verb, beginPasskey, onProof, wayOut }: Props) {
  const { t } = useTranslation()
  const possible = ORDER.filter(
    (way) => ways.includes(way) && (isTyped(way) || arePasskeysSupported()),
  )
  const [chosen, setChosen] = useState(possible[0])
  const passkey = useMutation({
    ...NO_CACHE,
    meta: { quiet: true },
    mutationFn: async () => onProof(await passkeyProof(await beginPasskey())),
  })
  if (chosen === undefined) {
    return (
      <Stack gap="lg">
        <Text role="alert">
          {t(ways.includes('passkey') ? 'factor.passkey.unsupported' : 'factor.none')}
        </Text>
        {wayOut}
      </Stack>
    )
  }
  const failure = shown(passkey.error)
  return (
    <Stack gap="lg">
      {isTyped(chosen) ? (
        <TypedProof key={chosen} way={chosen} verb={verb} onProof={onProof} />
      ) : (
        <Text>{t('factor.passkey.how')}</Text>
      )}
      {failure !== undefined && (
        <Alert color="red" role="alert">
          {failure}
        </Alert>
      )}
      {possible.includes('passkey') && (
        <Button
          variant={isTyped(chosen) ? 'default' : 'filled'}
          loading={passkey.isPending}
          data-autofocus={!isTyped(chosen) || undefined}
          onClick={() => passkey.mutate()}
        >
          {t('factor.passkey.use')}
        </Button>
      )}
      <div className={classes['ways']}>
        {possible.filter(isTyped).map(
          (way) =>
            way !== chosen && (
              <button
                key={way}
                type="button"
                className={classes['way']}
                onClick={() => setChosen(way)}
              >
                {t(`factor.${TEXTS[way]}.instead`)}
              </button>
            ),
        )}
        {wayOut}
      </div>
    </Stack>
  )
}

type TypedProps = { way: Typed } & Pick<Props, 'verb' | 'onProof'>

function TypedProof({ way, verb, onProof }: TypedProps) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  const [value, setValue] = useState('')
  const [isSubmitted, setIsSubmitted] = useState(false)
  const check = useMutation({
    ...NO_CACHE,
    meta: { quiet: true },
    mutationFn: onProof,
    onError: () => {
      setValue('')
      setIsSubmitted(false)
      input.current?.focus()
    },
  })
  const send = (text: string) => {
    setIsSubmitted(true)
    if (text === '') input.current?.focus()
    else if (!check.isPending)
      check.mutate(way === 'password' ? { password: text } : { code: text })
  }
  const change = (text: string) => {
    if (check.isPending) return
    setValue(text)
    check.reset()
  }
  const missing = isSubmitted && value === '' ? t('common.form.required') : undefined
  const label = t(`factor.${TEXTS[way]}.label`)
  const common = {
    label,
    value,
    error: shown(check.error) ?? missing,
    errorProps: { role: 'alert' },
    autoFocus: true,
    'data-autofocus': true,
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send(way === 'recovery_code' ? recoveryCodeOf(value) : value)
      }}
    >
      <Stack gap="lg">
        {way !== 'password' && <Text>{t(`factor.${TEXTS[way]}.how`)}</Text>}
        {way === 'totp' && (
          <CodeField
            label={label}
            value={value}
            error={common.error}
            onChange={change}
            onComplete={send}
            inputRef={input}
          />
        )}
        {way === 'recovery_code' && (
          <TextInput
            ref={input}
            {...common}
            name="recovery_code"
            maxLength={40}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => change(event.currentTarget.value)}
          />
        )}
        {way === 'password' && (
          <PasswordInput
            ref={input}
            {...common}
            aria-invalid={common.error !== undefined}
            name="password"
            maxLength={100}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
            onChange={(event) => change(event.currentTarget.value)}
          />
        )}
        <Button type="submit" loading={check.isPending}>
          {verb}
        </Button>
      </Stack>
    </form>
  )
}
