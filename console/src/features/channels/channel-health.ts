import { createContext, useContext } from 'react'
import type { ChannelStat } from '@tollgate/contract'

type Stats = {
  /** The first hour; epoch seconds. */
  start: number
  /** Undefined until the answer is there. */
  byId: ReadonlyMap<number, ChannelStat> | undefined
}

/** What the page knows of the channels it shows; columns stand outside of any page. */
export const ChannelHealth = createContext<Stats>({ start: 0, byId: undefined })

export function useHealthOf(id: number) {
  const { start, byId } = useContext(ChannelHealth)
  return { start, isKnown: byId !== undefined, stat: byId?.get(id) }
}
