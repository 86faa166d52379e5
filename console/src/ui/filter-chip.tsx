import { Select, type SelectProps } from '@mantine/core'
import classes from './filter-chip.module.css'

type Props = Omit<SelectProps, 'value' | 'onChange' | 'label'> & {
  label: string
  /** Empty for no filter. */
  value: string
  onChange: (value: string) => void
}

/** A filter of a list. */
export function FilterChip({ label, value, onChange, ...props }: Props) {
  return (
    <Select
      size="sm"
      clearable
      clearSectionMode="clear"
      className={classes['chip'] ?? ''}
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
