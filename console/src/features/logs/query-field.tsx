import { ActionIcon } from '@mantine/core'
import { Search, X } from 'lucide-react'
import { useState } from 'react'
import { LOG_RESULTS, type LogFacet, type LogFacets } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useMoney } from '../../lib/status.ts'
import { LateAutocomplete } from '../../ui/late-autocomplete.tsx'
import { ADMIN_FIELDS, type Fields, NO_FIELDS } from './log-fields.ts'
import {
  ADMIN_KEYS,
  isUnfinished,
  parseQuery,
  QUERY_KEYS,
  queryText,
  quoted,
  unquoted,
  valueStart,
  wordsOf,
} from './log-query.ts'
import classes from './logs.module.css'

type Props = {
  fields: Fields
  facets: LogFacets | undefined
  isAdmin: boolean
  onChange: (fields: Fields) => void
}

const SUGGESTIONS_MAX = 12

/** The whole filter as text. Enter or a suggested value applies it. */
export function QueryField({ fields, facets, isAdmin, onChange }: Props) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const shown = queryText(fields, quotaPerUnit)
  const [known, setKnown] = useState(shown)
  const [draft, setDraft] = useState(shown)
  // The URL also changes by facets, links and the back button.
  if (known !== shown) {
    setKnown(shown)
    setDraft(shown)
  }
  const { unknown } = parseQuery(draft, quotaPerUnit)
  const [isSubmitted, setIsSubmitted] = useState(false)
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
          data: suggestions(draft, { facets, isAdmin }),
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

const FACET_OF: Readonly<Record<string, LogFacet>> = {
  model: 'model',
  token: 'token',
  user: 'user',
  channel: 'channel',
  error: 'error',
  endpoint: 'endpoint',
  group: 'group',
  stream: 'stream',
}

/** Keys whose values are suggested for a word without a key. */
const NAME_KEYS = ['model', 'user', 'token', 'channel'] as const
const NAMES_OF_KEY_MAX = 3

const valuesOfFacet = (key: string, facets: LogFacets | undefined) =>
  facets?.facets.find(({ name }) => name === FACET_OF[key])?.values ?? []

const CHANNEL = /^channel[:：]/

/** Filters take the ids of channels, and people know their names. */
function withChannelIds(text: string, facets: LogFacets | undefined): string {
  const idOf = (word: string) => {
    const name = unquoted(word.replace(CHANNEL, '')).toLowerCase()
    const channels = valuesOfFacet('channel', facets)
    const found = channels.find(({ label }) => label.toLowerCase() === name)
    return found && !/^\d+$/.test(name) ? `channel:${found.value}` : word
  }
  const words = wordsOf(text)
  if (!words.some((word) => CHANNEL.test(word))) return text
  return words.map((word) => (CHANNEL.test(word) ? idOf(word) : word)).join(' ')
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

/** Whole texts with their last word completed: keys and results first, then values of a key. */
function suggestions(
  draft: string,
  { facets, isAdmin }: Pick<Props, 'facets' | 'isAdmin'>,
): string[] {
  const words = wordsOf(draft)
  const last = /\s$/.test(draft) ? '' : (words.pop() ?? '')
  const before = words.length === 0 ? '' : `${words.join(' ')} `
  const start = valueStart(last)
  const found =
    start === 0
      ? [...wordsFrom(last, isAdmin), ...namesWith(last, facets)]
      : valuesOf(last.slice(0, start - 1), last.slice(start), facets)
  return found.filter((word) => word !== last).map((word) => before + word)
}

function wordsFrom(beginning: string, isAdmin: boolean): string[] {
  const keys = isAdmin ? [...QUERY_KEYS, ...ADMIN_KEYS] : QUERY_KEYS
  const words = [...keys.map((key) => `${key}:`), ...LOG_RESULTS, 'charge>', 'time>']
  return words.filter((word) => word.startsWith(beginning))
}

/** Values for a word without a key. */
const namesWith = (part: string, facets: LogFacets | undefined): string[] =>
  part === ''
    ? []
    : NAME_KEYS.flatMap((key) => namesOf(key, part, facets).slice(0, NAMES_OF_KEY_MAX))

function valuesOf(key: string, part: string, facets: LogFacets | undefined): string[] {
  const wanted = part.replaceAll(/[*"]/g, '')
  const isName = key === 'model' || key === 'token' || key === 'user'
  const ofPart = isName && wanted !== '' ? [`${key}:${quoted(`*${wanted.toLowerCase()}*`)}`] : []
  return [...namesOf(key, wanted, facets), ...ofPart]
}

function namesOf(key: string, part: string, facets: LogFacets | undefined): string[] {
  const wanted = part.toLowerCase()
  return valuesOfFacet(key, facets)
    .filter(({ label, value }) => `${label} ${value}`.toLowerCase().includes(wanted))
    .map(({ label, value }) => `${key}:${quoted(key === 'user' ? label : value)}`)
}
