import { ActionIcon } from '@mantine/core'
import { Search, X } from 'lucide-react'
import { useState } from 'react'
import type { LogFacets } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useMoney } from '../../lib/status.ts'
import { LateAutocomplete } from '../../ui/late-autocomplete.tsx'
import { ADMIN_FIELDS, type Fields, NO_FIELDS } from './log-fields.ts'
import { isUnfinished, parseQuery, queryText, wordsOf } from './log-query.ts'
import {
  CHANNEL,
  suggestions,
  valuesOfFacet,
  withChannelIds,
  withChannelsOf,
} from './log-suggestions.ts'
import classes from './logs.module.css'

type Props = {
  fields: Fields
  facets: LogFacets | undefined
  isAdmin: boolean
  onChange: (fields: Fields) => void
}

const SUGGESTIONS_MAX = 12

/** The whole filter as text. Enter or a suggested value applies it. */
export function QueryField({ fields, facets: given, isAdmin, onChange }: Props) {
  const facets = useFacetsSeen(given)
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const shown = queryText(fields, quotaPerUnit)
  const [known, setKnown] = useState(shown)
  const [draft, setDraft] = useState(shown)
  const [isSubmitted, setIsSubmitted] = useState(false)
  // The URL also changes by facets, links and the back button.
  if (known !== shown) {
    setKnown(shown)
    setDraft(shown)
    setIsSubmitted(false)
  }
  const { unknown } = parseQuery(draft, quotaPerUnit)
  const apply = (given: string) => {
    const text = withChannelIds(given, facets)
    setDraft(text)
    const parsed = parseQuery(text, quotaPerUnit)
    setIsSubmitted(parsed.unknown.length > 0)
    if (parsed.unknown.length > 0) return
    const next = { ...NO_FIELDS, ...parsed.fields }
    if (!isAdmin) for (const field of ADMIN_FIELDS) next[field] = ''
    onChange(next)
  }
  return (
    <form
      role="search"
      className={classes['query']}
      onSubmit={(event) => {
        event.preventDefault()
        apply(draft)
      }}
    >
      <LateAutocomplete
        size="xs"
        label={t('log.query.label')}
        placeholder={t('log.query.example')}
        value={draft}
        onChange={(text) => {
          setDraft(text)
          setIsSubmitted(false)
        }}
        suggestions={{
          // They would cover the message about unknown words.
          data: isSubmitted ? [] : suggestions(draft, { facets, isAdmin }),
          filter: ({ options }) => options,
          limit: SUGGESTIONS_MAX,
          renderOption: ({ option }) => (
            <Suggestion word={wordsOf(option.value).at(-1)} {...{ facets }} />
          ),
          onOptionSubmit: (text) => {
            if (!isUnfinished(text)) apply(text)
          },
        }}
        leftSection={<Search size={14} aria-hidden />}
        rightSection={
          draft !== '' && (
            <ActionIcon
              variant="subtle"
              size="sm"
              aria-label={t('log.query.clear')}
              onClick={() => apply('')}
            >
              <X size={14} aria-hidden />
            </ActionIcon>
          )
        }
        error={isSubmitted ? t('log.query.unknown', { words: unknown.join(' ') }) : undefined}
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  )
}

function useFacetsSeen(facets: LogFacets | undefined): LogFacets | undefined {
  const [seen, setSeen] = useState({ last: facets, merged: facets })
  if (facets !== undefined && facets !== seen.last) {
    setSeen({ last: facets, merged: withChannelsOf(seen.merged, facets) })
  }
  return seen.merged
}

type SuggestionProps = { word: string | undefined; facets: LogFacets | undefined }

function Suggestion({ word = '', facets }: SuggestionProps) {
  const id = CHANNEL.test(word) ? word.replace(CHANNEL, '') : ''
  const channel = valuesOfFacet('channel', facets).find(({ value }) => value === id)
  return (
    <span>
      {word}
      {channel !== undefined && <span className={classes['channelName']}> {channel.label}</span>}
    </span>
  )
}
