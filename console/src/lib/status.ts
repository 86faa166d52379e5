import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type FRAMED_LINKS, type Status, statusEndpoints, statusSchema } from '@tollgate/contract'
import { call } from './api.ts'
import type { MoneySettings } from './format.ts'
import { getStoredJson, setStored, setStoredJson } from './storage.ts'
import { useStored } from './use-stored.ts'

const QUOTA_PER_UNIT_DEFAULT = 500_000

/** Copies what the server says about itself to the browser's keys. */
function storeStatus(status: Status) {
  setStoredJson('status', status)
  setStored('system_name', status.system_name)
  setStored('logo', status.logo)
  setStored('footer_html', status.footer_html)
  setStored('quota_per_unit', String(status.quota_per_unit))
  setStored('display_in_currency', String(status.display_in_currency))
  setStored('chat_link', status.chat_link)
}

let stored: { status: Status | undefined } | undefined

/** Parsed once, for all parts of the page that ask before the answer is there. */
const storedStatus = () =>
  (stored ??= { status: statusSchema.safeParse(getStoredJson('status')).data }).status

/** Asked once per start; until the answer is there, what was stored last time is shown. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const { data } = await call(statusEndpoints.getStatus, {}, signal)
    storeStatus(data)
    return data
  },
  staleTime: Infinity,
  refetchOnWindowFocus: false,
  // Else each part of a page that comes with a failure would ask again, and go with the question.
  retryOnMount: false,
  meta: { quiet: true },
  placeholderData: storedStatus,
})

export const useStatus = (): Status | undefined => useQuery(statusQuery).data

export const useSystemName = () => useStatus()?.system_name || 'Tollgate'

/** From the browser's keys: a table asks in each of its cells, and the status would be asked as often. */
export function useMoney(): MoneySettings {
  const [unit] = useStored('quota_per_unit')
  const [currency] = useStored('display_in_currency')
  const quotaPerUnit = Number(unit) > 0 ? Number(unit) : QUOTA_PER_UNIT_DEFAULT
  const inCurrency = currency !== 'false'
  return useMemo(() => ({ quotaPerUnit, inCurrency }), [quotaPerUnit, inCurrency])
}

export type LinkName = (typeof FRAMED_LINKS)[number] | 'chat'

/** The address the operator has set for one of our pages that show another site; empty when unset. */
export const linkOf = (status: Status | undefined, name: LinkName): string =>
  (name === 'chat' ? status?.chat_link : status?.links[name]) ?? ''

/** Where clients of this gateway send their requests, without a path. */
export const useServerAddress = () => useStatus()?.server_address || window.location.origin

/** Where people reach the console. It may have another host than the relay. */
export function useConsoleAddress() {
  const status = useStatus()
  return status?.console_address || status?.server_address || window.location.origin
}
