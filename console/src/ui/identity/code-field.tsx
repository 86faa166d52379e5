import { TextInput } from '@mantine/core'
import type { RefObject } from 'react'
import { CODE_LENGTH, digitsOf } from '../../lib/codes.ts'
import classes from './identity.module.css'

type Props = {
  label: string
  description?: string
  value: string
  onChange: (digits: string) => void
  /** Runs once the last digit is entered. */
  onComplete: (digits: string) => void
  error: string | undefined
  inputRef: RefObject<HTMLInputElement | null>
}

/** A single field for six digits, so that browser autofill and any pasted format work. */
export function CodeField({ value, onChange, onComplete, error, inputRef, ...props }: Props) {
  return (
    <TextInput
      ref={inputRef}
      {...props}
      name="code"
      value={value}
      error={error}
      errorProps={{ role: 'alert' }}
      onChange={(event) => {
        const digits = digitsOf(event.currentTarget.value)
        onChange(digits)
        if (digits.length === CODE_LENGTH && digits !== value) onComplete(digits)
      }}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      data-autofocus
      maxLength={40}
      classNames={{ input: classes['code'] ?? '' }}
    />
  )
}
