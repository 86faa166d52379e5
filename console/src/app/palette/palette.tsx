import { useDebouncedValue } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { useIsAdmin, useSession } from '../../lib/session.ts'
import { PlainDialog } from '../../ui/plain-dialog.tsx'
import { earlyText } from '../early-keys.ts'
import { type Entry, GROUPS } from './entry.ts'
import { matching } from './match.ts'
import './messages.ts'
import classes from './palette.module.css'
import { Results } from './results.tsx'
import { useEntries } from './use-entries.ts'
import { useSearchResults } from './use-search-results.ts'

const PAUSE_MS = 200
const KEYWORD_MAX = 100
const ESCAPE = 'Esc'

type Props = { onClose: () => void; onShortcuts: () => void }

export function Palette({ onClose, onShortcuts }: Props) {
  const { t } = useTranslation()
  return (
    <PlainDialog label={t('palette.dialog.label')} onClose={onClose}>
      {(close) => <Finder close={close} onShortcuts={onShortcuts} />}
    </PlainDialog>
  )
}

function usePlaceholder(): string {
  const { t } = useTranslation()
  const user = useSession()
  const isAdmin = useIsAdmin()
  if (isAdmin) return t('palette.dialog.placeholder')
  return t(user ? 'palette.dialog.placeholderUser' : 'palette.dialog.placeholderVisitor')
}

function Finder({ close, onShortcuts }: { close: () => void; onShortcuts: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const listId = useId()
  const placeholder = usePlaceholder()
  const [typed, setTyped] = useState(earlyText)
  const [chosen, setChosen] = useState<string | null>(null)
  const [keyword] = useDebouncedValue(typed.trim(), PAUSE_MS)
  const { found, isSearching } = useSearchResults(typed.trim() === '' ? '' : keyword)
  const isWaiting = isSearching || keyword !== typed.trim()
  // Until new results arrive, filter the previous results, because the user may press Enter at
  // once.
  const rows = isWaiting ? matching(found, typed) : found
  const entries = [...matching(useEntries(onShortcuts), typed), ...rows].toSorted(
    (a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group),
  )
  const active = entries.find(({ id }) => id === chosen) ?? entries[0]

  const choose = (entry: Entry) => {
    close()
    if ('to' in entry) void navigate(entry.to)
    else entry.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!active) return
    const index = entries.indexOf(active)
    const to = { ArrowDown: index + 1, ArrowUp: index - 1 + entries.length }[event.key]
    if (to !== undefined) setChosen(entries[to % entries.length]?.id ?? null)
    else if (event.key === 'Enter') choose(active)
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className={classes['field']}>
        <Search size={16} aria-hidden />
        <input
          role="combobox"
          className={classes['input']}
          value={typed}
          placeholder={placeholder}
          aria-label={t('palette.dialog.label')}
          aria-expanded={entries.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active && `${listId}-${active.id}`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={KEYWORD_MAX}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setChosen(null)
          }}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          className={classes['key']}
          aria-label={`${ESCAPE} ${t('common.action.close')}`}
          onClick={close}
        >
          {ESCAPE}
        </button>
      </div>
      <Results
        id={listId}
        entries={entries}
        active={active}
        onChoose={choose}
        onPoint={(entry) => setChosen(entry.id)}
      />
      <div role="status" className={classes['status']} data-empty={entries.length === 0}>
        {isWaiting && t('palette.dialog.searching')}
        {!isWaiting && entries.length > 0 && t('palette.dialog.count', { count: entries.length })}
        {!isWaiting && entries.length === 0 && (
          <>
            <strong>{t('palette.dialog.nothing', { typed: typed.trim() })}</strong>
            <span>{t('palette.dialog.hint')}</span>
          </>
        )}
      </div>
    </>
  )
}
