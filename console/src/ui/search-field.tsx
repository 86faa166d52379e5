import { CloseButton, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import classes from './search-field.module.css'

type Props = {
  draft: string
  onDraft: (text: string) => void
  onSearch: (keyword: string) => void
  /** Initially selects the text, ready to copy. */
  isSelected?: boolean
}

/** Searches on Enter. Clearing the field shows the whole list. */
export function SearchField({ draft, onDraft, onSearch, isSelected = false }: Props) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isSelected) input.current?.select()
  }, [isSelected])
  useHotkeys([['/', () => input.current?.focus()]])
  const clear = () => {
    onDraft('')
    onSearch('')
    input.current?.focus()
  }
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(draft)
      }}
    >
      <TextInput
        ref={input}
        size="sm"
        className={classes['field'] ?? ''}
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
        maxLength={200}
        placeholder={t('common.table.search')}
        aria-label={t('common.table.searchHint')}
        aria-keyshortcuts="/"
        leftSection={<Search size={14} aria-hidden />}
        rightSection={
          draft !== '' && (
            <CloseButton size="sm" onClick={clear} aria-label={t('common.action.clear')} />
          )
        }
      />
    </form>
  )
}
