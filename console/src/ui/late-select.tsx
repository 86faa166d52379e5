import { ComboboxChevron, type SelectProps, TextInput, type TextInputProps } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { loadOverlays, useOverlays } from './late-overlays.ts'

type Props = Omit<SelectProps, 'value'> & {
  value: string | null
  /** Looks like its field until somebody uses it. */
  isResting?: boolean
}

/** How the user began to use the field, if at all. */
type Start = 'none' | 'focus' | 'press'

/** A select that looks like its field until its code has been loaded. */
export function LateSelect({ isResting = false, ...props }: Props) {
  const overlays = useOverlays()
  const input = useRef<HTMLInputElement>(null)
  const [start, setStart] = useState<Start>('none')
  const isReal = overlays !== undefined && (start !== 'none' || !isResting)
  useLayoutEffect(() => {
    if (isReal && start !== 'none') input.current?.focus()
  }, [isReal, start])
  if (isReal) {
    return <overlays.Select ref={input} defaultDropdownOpened={start === 'press'} {...props} />
  }
  const begin = (how: Start) => {
    setStart(how)
    void loadOverlays()
    // A list that is open when it is first drawn reports no opening.
    if (how === 'press') props.onDropdownOpen?.()
  }
  return <Resting props={props} onStart={begin} />
}

type RestingProps = { props: Props; onStart: (start: Start) => void }

function Resting({ props, onStart }: RestingProps) {
  const isPressed = useRef(false)
  return (
    <TextInput
      {...fieldOf(props)}
      readOnly
      pointer
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      value={props.value === null ? '' : labelOf(props.data, props.value)}
      rightSection={<ComboboxChevron size={props.size ?? 'sm'} />}
      rightSectionPointerEvents="none"
      onMouseDown={() => {
        isPressed.current = true
      }}
      onFocus={() => onStart(isPressed.current ? 'press' : 'focus')}
    />
  )
}

const FIELD_PROPS = ['label', 'aria-label', 'placeholder', 'size', 'className', 'style', 'title']

const fieldOf = (props: Props): TextInputProps =>
  Object.fromEntries(Object.entries(props).filter(([name]) => FIELD_PROPS.includes(name)))

/** Options without a label of their own are their value. */
export function labelOf(data: Props['data'], value: string): string {
  for (const option of data ?? []) {
    if (typeof option === 'object' && 'value' in option && option.value === value) {
      return option.label
    }
  }
  return value
}
