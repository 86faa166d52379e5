import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  canManage,
  channelEndpoints,
  isAdmin,
  logEndpoints,
  REDEMPTION_STATUS,
  redemptionEndpoints,
  type SessionUser,
  tokenEndpoints,
  userEndpoints,
  userTokenEndpoints,
} from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import { call } from '../../lib/api.ts'
import { catalogQuery } from '../../lib/catalog.ts'
import { useSession } from '../../lib/session.ts'
import type { Entry, Group } from './entry.ts'
import { matching } from './match.ts'

const SHOWN_MAX = 5
const FRESH_MS = 10_000

const searchQuery = (keyword: string) => ({ keyword, size: SHOWN_MAX })

type Row = { id: number; name: string; hint?: string; to: string }

type Search = (keyword: string, user: SessionUser, signal: AbortSignal) => Promise<Row[]>

const searchChannels: Search = async (keyword, _, signal) => {
  const { data } = await call(
    channelEndpoints.searchChannels,
    { query: searchQuery(keyword) },
    signal,
  )
  return data.map(({ id, name }) => ({ id, name, to: `/channel/${id}` }))
}

const searchTokens: Search = async (keyword, _, signal) => {
  const { data } = await call(tokenEndpoints.searchTokens, { query: searchQuery(keyword) }, signal)
  return data.map(({ id, name }) => ({ id, name, to: `/token/edit/${id}` }))
}

const searchUsers: Search = async (keyword, user, signal) => {
  const { data } = await call(userEndpoints.searchUsers, { query: searchQuery(keyword) }, signal)
  return data.map((row) => ({
    id: row.id,
    name: row.username,
    hint: row.display_name,
    to: canManage(user, row)
      ? `/user/${row.id}`
      : `/user?${new URLSearchParams({ keyword: row.username })}`,
  }))
}

/** A used code has no form. */
const searchCodes: Search = async (keyword, _, signal) => {
  const { data } = await call(
    redemptionEndpoints.searchRedemptions,
    { query: searchQuery(keyword) },
    signal,
  )
  return data.map(({ id, name, batch, status }) => ({
    id,
    name,
    hint: batch === name ? '' : batch,
    to:
      status === REDEMPTION_STATUS.used
        ? `/redemption?${new URLSearchParams({ keyword: String(id) })}`
        : `/redemption/edit/${id}`,
  }))
}

/** A key, alone or as in a header or a setting. */
const KEY = /(?:^|\W)(sk-[^\s"'`,;]{6,})|^(?=.*[A-Za-z])[\dA-Za-z]{40,}$/

/** The key in a text, which does not belong in addresses. */
function keyIn(keyword: string): string | null {
  const found = KEY.exec(keyword)
  return found && (found[1] ?? found[0])
}

const searchKeys: Search = async (text, _, signal) => {
  const keyword = keyIn(text) ?? text
  const { data } = await call(userTokenEndpoints.findUserTokens, { body: { keyword } }, signal)
  return data.slice(0, SHOWN_MAX).map(({ id, name, user_id, username }) => ({
    id,
    name,
    hint: username,
    to: `/user/token?user=${user_id}`,
  }))
}

/** Request ids are digits: the time and a random number. */
const REQUEST_ID = /^\d{20,40}$/

const searchRequests: Search = async (keyword, user, signal) => {
  if (!REQUEST_ID.test(keyword)) return []
  const query = { request_id: keyword, size: 1 }
  const { data } = isAdmin(user.role)
    ? await call(logEndpoints.listLogs, { query }, signal)
    : await call(logEndpoints.listOwnLogs, { query }, signal)
  return data.map(({ id, request_id, model_name }) => ({
    id,
    name: request_id,
    hint: model_name,
    to: `/log?${new URLSearchParams({ request_id })}`,
  }))
}

const KINDS = [
  { group: 'channels', search: searchChannels, forAdmins: true },
  { group: 'tokens', search: searchTokens, forAdmins: false },
  { group: 'users', search: searchUsers, forAdmins: true },
  { group: 'codes', search: searchCodes, forAdmins: true },
  { group: 'requests', search: searchRequests, forAdmins: false },
  { group: 'tokens', search: searchKeys, forAdmins: true },
] as const satisfies readonly { group: Group; search: Search; forAdmins: boolean }[]

type Kind = (typeof KINDS)[number]

/** Search results of one kind. A newer keyword cancels the running search. */
function useKind({ group, search, forAdmins }: Kind, keyword: string) {
  const user = useSession()
  const isAllowed = user !== null && (!forAdmins || isAdmin(user.role))
  const isSought = keyword !== '' && (keyIn(keyword) !== null) === (search === searchKeys)
  const { data, isFetching } = useQuery({
    queryKey: ['palette', group, forAdmins, keyword],
    queryFn: ({ signal }) => (user ? search(keyword, user, signal) : []),
    enabled: isAllowed && isSought,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    retry: false,
    refetchOnWindowFocus: false,
    meta: { quiet: true },
  })
  const rows = isSought ? (data ?? []) : []
  const entries = rows.map(({ id, name, hint, to }): Entry => ({
    id: `${group}-${id}`,
    group,
    label: name,
    hint: hint ? `${hint} · #${id}` : `#${id}`,
    words: name,
    to,
  }))
  return { entries, isFetching }
}

/** A shorter text is in too many names. */
const LOCAL_MIN = 2

/** Settings, whose names are part of the console. */
function useSettings(keyword: string): Entry[] {
  const user = useSession()
  const { data = [] } = useQuery({
    queryKey: ['palette', 'settings', currentLanguage()],
    queryFn: async () => (await import('./option-entries.ts')).optionEntries(),
    enabled: user !== null && isAdmin(user.role) && keyword.length >= LOCAL_MIN,
    staleTime: Infinity,
    retry: false,
    meta: { quiet: true },
  })
  return keyword.length < LOCAL_MIN ? [] : matching(data, keyword).slice(0, SHOWN_MAX)
}

/** Models that the reader can call, as the catalog lists them. */
function useModels(keyword: string): Entry[] {
  const isSought = useSession() !== null && keyword.length >= LOCAL_MIN
  const { data = [] } = useQuery({
    ...catalogQuery(true),
    enabled: isSought,
    staleTime: FRESH_MS,
    retry: false,
    meta: { quiet: true },
  })
  if (!isSought) return []
  const entries = data.map(({ id, vendor }): Entry => ({
    id: `models-${id}`,
    group: 'models',
    label: id,
    hint: vendor,
    words: id,
    to: `/catalog?${new URLSearchParams({ keyword: id })}`,
  }))
  return matching(entries, keyword).slice(0, SHOWN_MAX)
}

/** Search results; at most one call per kind. */
export function useSearchResults(keyword: string) {
  const [channels, tokens, users, codes, requests, keys] = KINDS
  const settings = useSettings(keyword)
  const models = useModels(keyword)
  const found = [
    useKind(channels, keyword),
    useKind(tokens, keyword),
    useKind(users, keyword),
    useKind(codes, keyword),
    useKind(requests, keyword),
    useKind(keys, keyword),
  ]
  return {
    found: [...found.flatMap(({ entries }) => entries), ...models, ...settings],
    isSearching: found.some(({ isFetching }) => isFetching),
  }
}
