import type { SelectProps } from '@mantine/core'
import { type CSSProperties, useState } from 'react'
import classes from './filter-chip.module.css'
import { labelOf, LateSelect } from './late-select.tsx'

type Props = Omit<SelectProps, 'value' | 'onChange' | 'label'> & {
  label: string
  /** Empty for no filter. */
  value: string
  onChange: (value: string) => void
}

/** A filter of a list. Rests until somebody uses it, since a page has many. */
export function FilterChip({ label, value, onChange, ...props }: Props) {
  const [isUsed, setIsUsed] = useState(false)
  if (!isUsed && value !== '') setIsUsed(true)
  const text = labelOf(props.data, value) || label
  return (
    <LateSelect
      isResting={!isUsed}
      size="sm"
      clearable
      clearSectionMode="clear"
      className={classes['chip'] ?? ''}
      style={roomOf(text)}
      {...(value !== '' && { title: text })}
      data-chosen={value !== '' || undefined}
      aria-label={label}
      placeholder={label}
      // Choosing the same value again also clears it, which is the keyboard equivalent.
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      comboboxProps={{ width: 240, position: 'bottom-start' }}
      {...props}
    />
  )
}

/** Characters of Chinese are as wide as two digits. */
const roomOf = (text: string): CSSProperties & Record<'--characters', number> => ({
  '--characters': text.length + (text.match(/[\u2e80-\uffef]/g)?.length ?? 0),
})
