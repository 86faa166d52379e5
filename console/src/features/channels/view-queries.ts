import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ChannelKey, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { CHANNELS } from './queries.ts'

const keysKey = (id: number) => [...CHANNELS, 'keys', id]

export const useTraffic = (id: number) =>
  useQuery({
    queryKey: [...CHANNELS, 'traffic', id],
    queryFn: async ({ signal }) =>
      (await call(channelEndpoints.getChannelTraffic, { params: { id } }, signal)).data,
  })

export const useKeys = (id: number, isShown: boolean) =>
  useQuery({
    queryKey: keysKey(id),
    queryFn: async ({ signal }) =>
      (await call(channelEndpoints.listChannelKeys, { params: { id } }, signal)).data,
    enabled: isShown,
  })

type KeyChange = { key: string } | { key_id: string; action: 'enable' | 'disable' | 'remove' }

export function useKeyChange(id: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (change: KeyChange): Promise<ChannelKey[]> =>
      'key' in change
        ? (await call(channelEndpoints.addChannelKeys, { body: { id, ...change } })).data
        : (await call(channelEndpoints.changeChannelKey, { body: { id, ...change } })).data,
    onSuccess: (keys) => client.setQueryData(keysKey(id), keys),
    onSettled: () => client.invalidateQueries({ queryKey: ['channel', id] }),
  })
}

const DAY = 86_400
export const DAYS_SHOWN = 7

/** The last seven days of the browser, in epoch seconds. */
export function weekSpan(now: Date) {
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
  const end_timestamp = Math.floor(tomorrow.getTime() / 1000)
  return { start_timestamp: end_timestamp - DAYS_SHOWN * DAY, end_timestamp }
}
