import { FileLock } from 'lucide-react'
import { joinNames } from '../i18n/texts.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import type { ManagedMark } from '../lib/managed.ts'
import './managed.messages.ts'
import classes from './managed-note.module.css'

const NAMES_SHOWN_MAX = 5

/** Says which file manages an object, and what follows for changes. */
export function ManagedNote({ mark }: { mark: ManagedMark }) {
  return (
    <p className={classes['note']}>
      <FileLock size={14} aria-hidden />
      <span>{useManagedText(mark)}</span>
    </p>
  )
}

/** The same for a row of a table. */
export function ManagedBadge({ mark }: { mark: ManagedMark }) {
  const text = useManagedText(mark)
  return (
    <span className={classes['badge']} role="img" aria-label={text} title={text}>
      <FileLock size={14} aria-hidden />
    </span>
  )
}

export function useManagedText({ file, isLocked, names }: ManagedMark): string {
  const { t } = useTranslation()
  if (names.length === 0) return t(isLocked ? 'managed.locked' : 'managed.open', { file })
  // Chinese lists of Intl.ListFormat end in 和, which also begins the count below.
  const some = joinNames(names.slice(0, NAMES_SHOWN_MAX))
  const count = names.length - NAMES_SHOWN_MAX
  const shown = count > 0 ? t('managed.more', { names: some, count }) : some
  return t(isLocked ? 'managed.lockedSome' : 'managed.openSome', { file, names: shown })
}
