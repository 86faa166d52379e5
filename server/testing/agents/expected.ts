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

const OWN_FORM = "The gateway passes requests in the vendor's own form on unchanged."

export const EXPECTED: readonly Expected[] = [
  {
    double: 'deepseek',
    agents: ['opencode', 'cline'],
    type: 'refused',
    isLong: true,
    reason: `The model reads text only, and the agent sends it pictures. ${OWN_FORM}`,
  },
  ...['gemini-2.5', 'gemini-3'].map((double): Expected => ({
    double,
    agents: ['gemini'],
    type: 'refused',
    isLong: true,
    reason: `Gemini CLI repeats results of tools when it resumes a session. ${OWN_FORM}`,
  })),
]

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
