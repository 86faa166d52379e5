import { useEffect, useRef } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { type Entry, GROUPS } from './entry.ts'
import classes from './palette.module.css'

type Props = {
  id: string
  entries: readonly Entry[]
  active: Entry | undefined
  onChoose: (entry: Entry) => void
  onPoint: (entry: Entry) => void
}

/** Result list. Focus stays in the field, which references the active entry. */
export function Results({ id, entries, active, onChoose, onPoint }: Props) {
  const { t } = useTranslation()
  const list = useRef<HTMLDivElement>(null)
  const activeId = active?.id
  useEffect(() => {
    if (activeId === undefined) return
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t('palette.dialog.results')}
      className={classes['list']}
    >
      {GROUPS.filter((group) => entries.some((entry) => entry.group === group)).map((group) => (
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <div id={`${id}-${group}`} role="presentation" className={classes['group']}>
            {t(`palette.group.${group}`)}
          </div>
          {entries
            .filter((entry) => entry.group === group)
            .map((entry) => (
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field handles the keys
              <div
                key={entry.id}
                id={`${id}-${entry.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={entry === active}
                className={classes['entry']}
                // Keeps the focus in the field.
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => entry !== active && onPoint(entry)}
                onClick={() => onChoose(entry)}
              >
                <span className={classes['label']}>{entry.label}</span>
                {entry.hint && <span className={classes['hint']}>{entry.hint}</span>}
              </div>
            ))}
        </div>
      ))}
    </div>
  )
}
