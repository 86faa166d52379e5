import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { type Channel, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { CHANNELS } from './queries.ts'

const KEY = ['ask-balance']

type BalanceRequest = Pick<Channel, 'id'>

export function useAskBalance() {
  const client = useQueryClient()
  return useMutation({
    mutationKey: KEY,
    mutationFn: ({ id }: BalanceRequest) =>
      call(channelEndpoints.updateBalance, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: CHANNELS }),
  })
}

export function useIsAsking(id: number): boolean {
  const pendingIds = useMutationState({
    filters: { mutationKey: KEY, status: 'pending' },
    // Safe because only useAskBalance creates mutations with this key.
    select: ({ state }) => (state.variables as BalanceRequest | undefined)?.id,
  })
  return pendingIds.includes(id)
}
