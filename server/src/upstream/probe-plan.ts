import type { TestEndpoint } from '@tollgate/contract'
import { hostOf, type ModelCard, type ProviderDescriptor } from '@tollgate/relay'
import type { ChannelOverrides } from './channel-overrides.ts'

export type ProbeStep = { readonly endpoint: TestEndpoint; readonly stream: boolean }

export type ProbePlan = {
  /** The endpoints to try, the likeliest first. Empty if the model cannot be tested. */
  readonly steps: readonly ProbeStep[]
  /** False if the endpoint is a guess, whose refusal says nothing about the channel. */
  readonly isKnown: boolean
  readonly card: ModelCard
}

type PlannedChannel = {
  readonly descriptor: ProviderDescriptor
  readonly baseUrl: string
  readonly overrides: ChannelOverrides
}

/** For a model that nothing is known about. Images and audio cost too much to guess. */
const GUESSES = ['chat', 'responses', 'embeddings', 'rerank', 'completions'] as const

const RESPONSES_DIALECTS: ReadonlySet<string> = new Set(['openai', 'azure', 'responses'])

/** `model` is the provider's name; `wanted` is the endpoint that the operator chose. */
export function probePlan(
  { descriptor, baseUrl, overrides }: PlannedChannel,
  model: string,
  wanted?: TestEndpoint,
): ProbePlan {
  const card = overrides.cardOf(hostOf(descriptor, baseUrl), model)
  const { endpoint: served } = card.facts
  const offers = (endpoint: TestEndpoint) =>
    endpoint === 'responses'
      ? RESPONSES_DIALECTS.has(descriptor.dialect)
      : descriptor.supports.includes(endpoint)
  const planOf = (endpoints: readonly TestEndpoint[], isKnown: boolean): ProbePlan => ({
    card,
    isKnown,
    steps: endpoints.filter(offers).map((endpoint) => ({
      endpoint,
      stream: endpoint === 'chat' && card.reasoning.needsStream,
    })),
  })
  if (wanted !== undefined) return planOf([wanted], true)
  if (served === 'none' || served === 'realtime') return planOf([], true)
  // Resellers serve some models for images and speech as chats.
  if (served !== null) return planOf([served, 'chat'], offers(served))
  if (card.isKnown) return planOf(['chat', 'responses'], true)
  return planOf(GUESSES, false)
}

/** Tests of these make no media, so they cost next to nothing. */
const CHEAP: ReadonlySet<string> = new Set(['chat', 'responses', 'completions', 'embeddings'])

/** Lower is better for a channel's test: cheap endpoints before media, and those before none. */
export function testRank({ steps }: ProbePlan): number {
  const [first] = steps
  if (first === undefined) return 3
  if (CHEAP.has(first.endpoint)) return 0
  return first.endpoint === 'rerank' || first.endpoint === 'moderations' ? 1 : 2
}
