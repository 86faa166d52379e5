import { type AutocompleteProps, TextInput, type TextInputProps } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { useOverlays } from './late-overlays.ts'

type FieldProps = Pick<
  TextInputProps,
  | 'autoComplete'
  | 'error'
  | 'label'
  | 'leftSection'
  | 'placeholder'
  | 'rightSection'
  | 'size'
  | 'spellCheck'
>

type Props = FieldProps & {
  value: string
  onChange: (text: string) => void
  suggestions: Pick<
    AutocompleteProps,
    'data' | 'filter' | 'limit' | 'onOptionSubmit' | 'renderOption'
  >
}

/** A text field whose suggestions come once their code has been loaded. */
export function LateAutocomplete({ value, onChange, suggestions, ...field }: Props) {
  const overlays = useOverlays()
  const input = useRef<HTMLInputElement>(null)
  const isFocused = useRef(false)
  useLayoutEffect(() => {
    if (!isFocused.current || !overlays || !input.current) return
    input.current.focus()
    input.current.setSelectionRange(input.current.value.length, input.current.value.length)
  }, [overlays])
  if (overlays) {
    return (
      <overlays.Autocomplete ref={input} {...field} {...suggestions} {...{ value, onChange }} />
    )
  }
  return (
    <TextInput
      {...field}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onFocus={() => {
        isFocused.current = true
      }}
      onBlur={() => {
        isFocused.current = false
      }}
    />
  )
}
