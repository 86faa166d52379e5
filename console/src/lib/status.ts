import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { FRAMED_LINKS, Status } from '@tollgate/contract'
import { basePath } from './base-path.ts'
import { isStatus } from './first-answers.ts'
import { getStatus } from './first-calls.ts'
import type { MoneySettings } from './format.ts'
import { siteLogo, siteName } from './site.ts'
import { getStoredJson, setStored, setStoredJson } from './storage.ts'
import { useStored } from './use-stored.ts'

const QUOTA_PER_UNIT_DEFAULT = 500_000

function storeStatus(status: Status) {
  setStoredJson('status', status)
  setStored('system_name', status.system_name)
  setStored('logo', status.logo)
  setStored('footer_html', status.footer_html)
  setStored('quota_per_unit', String(status.quota_per_unit))
  setStored('display_in_currency', String(status.display_in_currency))
  setStored('chat_link', status.chat_link)
  setStored('time_zone', status.time_zone)
}

let stored: { status: Status | undefined } | undefined

function readStored(): Status | undefined {
  const status = getStoredJson('status')
  if (!isStatus(status)) return undefined
  return {
    ...status,
    system_name: siteName ?? status.system_name,
    logo: siteLogo ?? status.logo,
  }
}

/** Parsed once, because many components read the status before the answer arrives. */
const storedStatus = () => (stored ??= { status: readStored() }).status

/** Fetched once per page load; the stored status is shown until then. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const status = await getStatus(signal)
    storeStatus(status)
    return status
  },
  staleTime: Infinity,
  refetchOnWindowFocus: false,
  // Otherwise each component that mounts after a failure would send the request again and unmount
  // with it.
  retryOnMount: false,
  meta: { quiet: true },
  placeholderData: storedStatus,
})

export const useStatus = (): Status | undefined => useQuery(statusQuery).data

export const useSystemName = () => (useStatus()?.system_name ?? siteName) || 'Tollgate'

/** Empty for the console's own logo. */
export const useLogo = () => useStatus()?.logo ?? siteLogo ?? ''

/**
 * Reads browser storage because every table cell calls this; subscribing each to the status query
 * would cost more.
 */
export function useMoney(): MoneySettings {
  const [unit] = useStored('quota_per_unit')
  const [currency] = useStored('display_in_currency')
  const quotaPerUnit = Number(unit) > 0 ? Number(unit) : QUOTA_PER_UNIT_DEFAULT
  const inCurrency = currency !== 'false'
  return useMemo(() => ({ quotaPerUnit, inCurrency }), [quotaPerUnit, inCurrency])
}

export type LinkName = (typeof FRAMED_LINKS)[number] | 'chat'

export const linkOf = (status: Status | undefined, name: LinkName): string =>
  (name === 'chat' ? status?.chat_link : status?.links[name]) ?? ''

const ownAddress = () => window.location.origin + basePath

/** Base URL of the API for clients, without a path. */
export const useServerAddress = () => useStatus()?.server_address || ownAddress()

/**
 * Base URL for requests of this page to the API: a path on the page's own origin, which serves the
 * API unless the console has a host of its own.
 */
export function useRelayBase(): string {
  const status = useStatus()
  const own = URL.parse(status?.console_address ?? '')
  return own?.host === window.location.host ? (status?.server_address ?? '') : basePath
}

/** Base URL of the console, which may differ from that of the API. */
export function useConsoleAddress() {
  const status = useStatus()
  return status?.console_address || status?.server_address || ownAddress()
}
