import { descriptorOf } from '@tollgate/relay'
import type { Client } from './client.ts'
import { type Done, type Feature, FEATURES } from './features.ts'
import { observe, textOfRule } from './judgement.ts'
import { AI_SDK } from './official/ai-sdk.ts'
import { anthropicMessages } from './official/anthropic.ts'
import { googleGenai } from './official/google.ts'
import { langchain } from './official/langchain.ts'
import { openaiChat, openaiResponses } from './official/openai.ts'
import type { MatrixWorld, Provider } from './world.ts'

export const CLIENTS: readonly Client[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  googleGenai,
  ...AI_SDK,
  langchain,
]

export type Outcome =
  | { type: Done }
  /** Passed on unchanged, in the provider's own form, but the provider refuses it. */
  | { type: 'broken'; message: string }
  /** Rejected with status 400. */
  | { type: 'refused'; message: string }
  | { type: 'unserved'; message: string }
  /** The provider answered in a form that this client cannot read. */
  | { type: 'address_only' }
  | { type: 'failed'; message: string }

/** One line of the matrix: an outcome per provider, in column order. */
export type Line = { client: Client; feature: Feature; outcomes: Outcome[] }

/**
 * Runs every client with every provider. Providers run in parallel, the cells of one provider in
 * order.
 */
export async function runMatrix({ providers }: MatrixWorld): Promise<Line[]> {
  const cells = CLIENTS.flatMap((client) =>
    FEATURES.filter(({ isIn }) => isIn(client)).map((feature) => ({ client, feature })),
  )
  const columns = await Promise.all(
    providers.map(async (provider) => {
      const outcomes: Outcome[] = []
      for (const cell of cells) outcomes.push(await outcomeOf(cell, provider))
      return outcomes
    }),
  )
  return cells.map((cell, index) => ({
    ...cell,
    outcomes: columns.map((outcomes) => outcomes[index] ?? { type: 'failed', message: 'not run' }),
  }))
}

/** The error text for an endpoint that no provider offers. */
export const NOT_OFFERED = /No provider of the model \S+ offers \/v1\/\S+ here\./

export const withoutRequestId = (message: string) => message.replace(/ \(request id: \d+\)$/, '')

async function outcomeOf(
  { client, feature }: { client: Client; feature: Feature },
  provider: Provider,
): Promise<Outcome> {
  const { column, place, refused, formers } = provider
  const from = provider.asked.length
  const judge = observe(provider, client.dialect)
  const asked = () => provider.asked.slice(from)
  const run = { client, place, refused, formers, asked }
  const ended = await feature.run(run).then(
    (type): Outcome => ({ type }),
    (error: unknown) => afterError(error, run, column.row.type),
  )
  const { misread, faults, excused } = judge()
  const reasons = [...misread, ...faults.map(textOfRule)]
  if (reasons.length > 0) return { type: 'failed', message: refusedBecause(reasons) }
  if (ended.type === 'failed' || excused.length === 0) return ended
  return { type: 'broken', message: excused.map(textOfRule).join('; ') }
}

export const refusedBecause = (reasons: readonly string[]) =>
  `The provider refuses it: ${reasons.join('; ')}`

function afterError(
  error: unknown,
  { client, asked }: { client: Client; asked: () => readonly unknown[] },
  type: number,
): Outcome {
  const failure = client.failureOf(error)
  const words = error instanceof Error ? error.message : String(error)
  if (failure === null) return { type: 'failed', message: words }
  const { status } = failure
  const message = withoutRequestId(failure.message)
  const offers = descriptorOf(type)?.supports ?? []
  if (status !== 400 || asked().length > 0) {
    return { type: 'failed', message: `${status}: ${message}` }
  }
  if (!NOT_OFFERED.test(message)) return { type: 'refused', message }
  return { type: offers.includes('embeddings') ? 'failed' : 'unserved', message }
}
