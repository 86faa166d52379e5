import { type KeyboardEvent, useState } from 'react'
import classes from './number-cell.module.css'

type Props = {
  label: string
  value: number
  min?: number
  disabled?: boolean
  onSave: (value: number) => void
}

/** Number edited in its row: Enter or blur saves, Escape reverts. */
export function NumberCell({ label, value, min, disabled = false, onSave }: Props) {
  const [draft, setDraft] = useState<string | null>(null)
  const save = () => {
    const next = draft === null || draft.trim() === '' ? value : Number(draft)
    setDraft(null)
    if (Number.isSafeInteger(next) && next !== value) onSave(Math.max(next, min ?? next))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') event.currentTarget.blur()
    if (event.key === 'Escape') setDraft(null)
  }
  return (
    <input
      type="text"
      inputMode="numeric"
      className={classes['number']}
      aria-label={label}
      disabled={disabled}
      value={draft ?? String(value)}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={save}
      onKeyDown={onKeyDown}
    />
  )
}
