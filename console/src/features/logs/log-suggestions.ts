import { LOG_RESULTS, type LogFacet, type LogFacets } from '@tollgate/contract'
import { ADMIN_KEYS, QUERY_KEYS, quoted, unquoted, valueStart, wordsOf } from './log-query.ts'

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

export const valuesOfFacet = (key: string, facets: LogFacets | undefined) =>
  facets?.facets.find(({ name }) => name === FACET_OF[key])?.values ?? []

/** Facets with the channels of earlier ones: a filter by channel leaves no other to change to. */
export function withChannelsOf(earlier: LogFacets | undefined, facets: LogFacets): LogFacets {
  const channels = valuesOfFacet('channel', facets)
  const others = valuesOfFacet('channel', earlier).filter(({ value }) =>
    channels.every((channel) => channel.value !== value),
  )
  const rest = facets.facets.filter(({ name }) => name !== 'channel')
  return { ...facets, facets: [...rest, { name: 'channel', values: [...channels, ...others] }] }
}

export const CHANNEL = /^channel[:：]/

/** Filters take the ids of channels, and people know their names. */
export function withChannelIds(text: string, facets: LogFacets | undefined): string {
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

/** Whole texts with their last word completed: keys and results first, then values of a key. */
export function suggestions(
  draft: string,
  { facets, isAdmin }: { facets: LogFacets | undefined; isAdmin: boolean },
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
