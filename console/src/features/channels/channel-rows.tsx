import { createContext, type ReactNode, use, useMemo } from 'react'
import type { Channel, ChannelStat } from '@tollgate/contract'
import { useManaged } from '../../lib/managed.ts'
import { useChannelPatch, useChannelStats } from './queries.ts'
import { useAskBalance } from './use-balance.ts'
import { useTestChannel } from './use-test-channel.ts'

type Health = {
  /** Start of the first hour, in epoch seconds. */
  start: number
  /** Undefined until loaded. */
  byId: ReadonlyMap<number, ChannelStat> | undefined
}

type Changes = {
  test: ReturnType<typeof useTestChannel>['mutate']
  askBalance: ReturnType<typeof useAskBalance>['mutate']
  patch: ReturnType<typeof useChannelPatch>['mutate']
}

const HealthContext = createContext<Health>({ start: 0, byId: undefined })
const ManagedContext = createContext<ReturnType<typeof useManaged>['ofChannel']>(() => null)
const ChangesContext = createContext<Changes | null>(null)

type Props = { rows: readonly Channel[]; children: ReactNode }

/**
 * Context for cells: columns are module constants, and each row with its own hooks would be slow.
 */
export function ChannelRows({ rows, children }: Props) {
  const health = useChannelStats(rows.map(({ id }) => id))
  const { mutate: test } = useTestChannel()
  const { mutate: askBalance } = useAskBalance()
  const { mutate: patch } = useChannelPatch()
  const { ofChannel } = useManaged()
  const changes = useMemo(() => ({ test, askBalance, patch }), [test, askBalance, patch])
  return (
    <ChangesContext value={changes}>
      <ManagedContext value={ofChannel}>
        <HealthContext value={health}>{children}</HealthContext>
      </ManagedContext>
    </ChangesContext>
  )
}

export function useHealthOf(id: number) {
  const { start, byId } = use(HealthContext)
  return { start, isKnown: byId !== undefined, stat: byId?.get(id) }
}

export const useMarkOf = (id: number) => use(ManagedContext)(id)

export function useChanges(): Changes {
  const changes = use(ChangesContext)
  if (!changes) throw new Error('A cell of a channel stands outside of ChannelRows')
  return changes
}
