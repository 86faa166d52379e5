import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  canManage,
  channelEndpoints,
  isAdmin,
  logEndpoints,
  type SessionUser,
  tokenEndpoints,
  userEndpoints,
} from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { useSession } from '../../lib/session.ts'
import type { Entry, Group } from './entry.ts'

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
  return data.map(({ id, name }) => ({ id, name, to: `/channel/edit/${id}` }))
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
  { group: 'requests', search: searchRequests, forAdmins: false },
] as const satisfies readonly { group: Group; search: Search; forAdmins: boolean }[]

type Kind = (typeof KINDS)[number]

/** Search results of one kind. A newer keyword cancels the running search. */
function useKind({ group, search, forAdmins }: Kind, keyword: string) {
  const user = useSession()
  const isAllowed = user !== null && (!forAdmins || isAdmin(user.role))
  const { data, isFetching } = useQuery({
    queryKey: ['palette', group, keyword],
    queryFn: ({ signal }) => (user ? search(keyword, user, signal) : []),
    enabled: isAllowed && keyword !== '',
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    retry: false,
    refetchOnWindowFocus: false,
    meta: { quiet: true },
  })
  const rows = keyword === '' ? [] : (data ?? [])
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

/** Server search results; at most one call per kind. */
export function useSearchResults(keyword: string) {
  const [channels, tokens, users, requests] = KINDS
  const found = [
    useKind(channels, keyword),
    useKind(tokens, keyword),
    useKind(users, keyword),
    useKind(requests, keyword),
  ]
  return {
    found: found.flatMap(({ entries }) => entries),
    isSearching: found.some(({ isFetching }) => isFetching),
  }
}
