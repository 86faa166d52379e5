import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { FIRST_DATE } from './usage-search.ts'

type Props = {
  label: string
  /** As in 2026-11-27; empty without a date. */
  value: string
  onChange: (date: string) => void
  error?: ReactNode
}

export function DateField({ label, value, onChange, error }: Props) {
  const [known, setKnown] = useState(value)
  const [draft, setDraft] = useState(value)
  if (known !== value) {
    setKnown(value)
    setDraft(value)
  }
  return (
    <TextInput
      size="xs"
      type="date"
      min={FIRST_DATE}
      label={label}
      value={draft}
      error={error}
      onChange={({ currentTarget: { value: typed } }) => {
        setDraft(typed)
        if (typed === '' || typed >= FIRST_DATE) onChange(typed)
      }}
    />
  )
}
