import { Combobox, Select, type SelectProps, TextInput } from '@mantine/core'
import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react'
import classes from './filter-chip.module.css'

type Props = Omit<SelectProps, 'value' | 'onChange' | 'label'> & {
  label: string
  /** Empty for no filter. */
  value: string
  onChange: (value: string) => void
}

/** How the user began to use the field, if at all. */
type Start = 'none' | 'focus' | 'press'

/** A filter of a list. Looks like its field until somebody uses it, since a page has many. */
export function FilterChip(props: Props) {
  const [start, setStart] = useState<Start>('none')
  const [isReal, setIsReal] = useState(false)
  if (!isReal && (props.value !== '' || start !== 'none')) setIsReal(true)
  if (isReal) return <Field {...props} start={start} />
  return <Resting label={props.label} onStart={setStart} />
}

type RestingProps = { label: string; onStart: (start: Start) => void }

function Resting({ label, onStart }: RestingProps) {
  const isPressed = useRef(false)
  return (
    <TextInput
      size="sm"
      readOnly
      pointer
      className={classes['chip'] ?? ''}
      style={roomOf(label)}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-label={label}
      placeholder={label}
      rightSection={<Combobox.Chevron size="sm" />}
      rightSectionPointerEvents="none"
      onMouseDown={() => {
        isPressed.current = true
      }}
      onFocus={() => onStart(isPressed.current ? 'press' : 'focus')}
    />
  )
}

function Field({ label, value, onChange, start, ...props }: Props & { start: Start }) {
  const input = useRef<HTMLInputElement>(null)
  const text = chosenText(props.data, value) || label
  useLayoutEffect(() => {
    if (start !== 'none') input.current?.focus()
  }, [start])
  return (
    <Select
      ref={input}
      size="sm"
      clearable
      clearSectionMode="clear"
      defaultDropdownOpened={start === 'press'}
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

/** Options without a label of their own are their value. */
function chosenText(data: Props['data'], chosen: string): string {
  for (const option of data ?? []) {
    if (typeof option === 'object' && 'value' in option && option.value === chosen) {
      return option.label
    }
  }
  return chosen
}

/** Characters of Chinese are as wide as two digits. */
const roomOf = (text: string): CSSProperties & Record<'--characters', number> => ({
  '--characters': text.length + (text.match(/[\u2e80-\uffef]/g)?.length ?? 0),
})
