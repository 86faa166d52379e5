import type { Agent } from './agents.ts'
import type { Double } from './doubles.ts'

/* Pairs of an agent and a double that are expected not to pass, each with its reason. */

type Expected = {
  readonly double: string
  /** Names of agents; absent: all of them. */
  readonly agents?: readonly string[]
  /**
   * `refused`: the vendor or the gateway has to refuse, and the agent shows why. `known`: a failure
   * of the gateway, to be mended.
   */
  readonly type: 'refused' | 'known'
  readonly reason: string
  /** Only in long sessions. */
  readonly isLong?: true
}

export const EXPECTED: readonly Expected[] = []

export const expectationOf = (
  agent: Agent,
  { name }: Double,
  isLongRun: boolean,
): Expected | undefined =>
  EXPECTED.find(
    ({ double, agents, isLong = false }) =>
      double === name &&
      (agents === undefined || agents.includes(agent.name)) &&
      (isLongRun || !isLong),
  )
