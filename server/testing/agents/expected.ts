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
}

const OWN_FORM = "The gateway passes requests in the vendor's own form on unchanged."

export const EXPECTED: readonly Expected[] = [
  {
    double: 'vllm',
    agents: ['qwen'],
    type: 'refused',
    reason: `The chat template takes no list of texts. ${OWN_FORM}`,
  },
]

export const expectationOf = (agent: Agent, { name }: Double): Expected | undefined =>
  EXPECTED.find(
    ({ double, agents }) =>
      double === name && (agents === undefined || agents.includes(agent.name)),
  )
