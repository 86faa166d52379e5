import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
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
  ask: () => void
}

type Changes = {
  test: ReturnType<typeof useTestChannel>['mutate']
  askBalance: ReturnType<typeof useAskBalance>['mutate']
  patch: ReturnType<typeof useChannelPatch>['mutate']
}

const HealthContext = createContext<Health>({ start: 0, byId: undefined, ask: () => {} })
const ManagedContext = createContext<ReturnType<typeof useManaged>['ofChannel']>(() => null)
const ChangesContext = createContext<Changes | null>(null)

type Props = { rows: readonly Channel[]; children: ReactNode }

const NO_IDS: readonly number[] = []

/**
 * Context for cells: columns are module constants, and each row with its own hooks would be slow.
 * The traffic is loaded when the first cell that shows it is drawn, on a phone in an opened row.
 */
export function ChannelRows({ rows, children }: Props) {
  const [isAsked, setIsAsked] = useState(false)
  const ask = useCallback(() => setIsAsked(true), [])
  const stats = useChannelStats(isAsked ? rows.map(({ id }) => id) : NO_IDS)
  const health = useMemo(() => ({ ...stats, ask }), [stats, ask])
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
  const { start, byId, ask } = use(HealthContext)
  useEffect(ask, [ask])
  return { start, isKnown: byId !== undefined, stat: byId?.get(id) }
}

export const useMarkOf = (id: number) => use(ManagedContext)(id)

export function useChanges(): Changes {
  const changes = use(ChangesContext)
  if (!changes) throw new Error('A cell of a channel stands outside of ChannelRows')
  return changes
}
