import { X } from 'lucide-react'
import { type KeyboardEvent, memo, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import classes from './channels.module.css'

type Props = {
  models: readonly string[]
  all: readonly string[]
  /** Keeps the height during a search, so that content below does not move. */
  isLong: boolean
  onChange: (models: string[]) => void
  /** Receives focus when the last model is removed. */
  inputId: string
}

const MOVES: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
}

/** A single tab stop: arrows move, Enter or Delete removes a model. */
export const ChosenModels = memo(function ChosenModels({
  models,
  all,
  isLong,
  onChange,
  inputId,
}: Props) {
  const { t } = useTranslation()
  const list = useRef<HTMLUListElement>(null)
  const [active, setActive] = useState(0)
  const current = Math.min(active, models.length - 1)

  const focusOn = (index: number) => {
    const buttons = list.current?.querySelectorAll('button') ?? []
    const next = buttons[Math.min(Math.max(index, 0), buttons.length - 1)]
    if (next) next.focus()
    else document.getElementById(inputId)?.focus()
  }
  const remove = (index: number) => {
    onChange(all.filter((model) => model !== models[index]))
    requestAnimationFrame(() => focusOn(index))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = MOVES[event.key]
    if (step !== undefined) focusOn(current + step)
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(current)
    else return
    event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows move among its buttons
    <ul
      ref={list}
      className={classes['models']}
      data-long={isLong || undefined}
      aria-label={t('channelForm.chosenModels')}
      onKeyDown={onKeyDown}
    >
      {models.map((model, index) => (
        <li key={model}>
          <button
            type="button"
            className={classes['model']}
            tabIndex={index === current ? 0 : -1}
            aria-label={t('channelForm.removeModel', { model })}
            onFocus={() => setActive(index)}
            onClick={() => remove(index)}
          >
            {model}
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
})
