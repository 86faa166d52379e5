import type { ChannelHealthAnswer, InBoth } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import { type HealthInput, judgeHealth, RECENT_HOURS } from '../../domain/health-word.ts'
import { mappedModel } from '../../domain/model-mapping.ts'
import { shutModels } from '../../domain/shut-models.ts'
import { type AnswerHour, listAnswers, listFaults } from '../../store/channel-traffic.ts'
import { listVersions, type ShownChannel } from '../../store/channels.ts'
import { HISTOGRAM_BOUNDS_MS } from '../../store/hour-tables.ts'
import { channelReasonInBoth } from '../../text/channel-reason.ts'
import type { AdminDeps } from '../deps.ts'
import { estimatePercentile } from '../stat/percentile.ts'

type Judgement = Omit<ChannelHealthAnswer, 'reason'> & { readonly reason: InBoth }

export type JudgedChannel = ShownChannel & { readonly health: Judgement }

const MS_PER_HOUR = 3_600_000
const HOURS_PER_DAY = 24
const MEDIAN = 0.5

type Deps = Pick<AdminDeps, 'database' | 'health' | 'now'>

/** Adds the health of each channel: from its attempts, its test and the circuit breaker. */
export async function withHealth(
  deps: Deps,
  rows: readonly ShownChannel[],
): Promise<JudgedChannel[]> {
  const { kysely } = deps.database
  const hour = Math.floor(deps.now() / MS_PER_HOUR)
  const span = { firstHour: hour - HOURS_PER_DAY + 1, ids: rows.map(({ id }) => id) }
  const [answers, faults, versions] = await Promise.all([
    listAnswers(kysely, span),
    listFaults(kysely, span),
    listVersions(kysely, span.ids),
  ])
  const answersOf = Map.groupBy(answers, ({ channel_id }) => channel_id)
  const faultsOf = Map.groupBy(faults, ({ channel_id }) => channel_id)
  const versionOf = new Map(versions.map((version) => [version.id, version]))
  return rows.map((row) => {
    const ownAnswers = answersOf.get(row.id) ?? []
    const ownFaults = faultsOf.get(row.id) ?? []
    const isOld = (answer: AnswerHour) => answer.hour <= hour - RECENT_HOURS
    const recentTimes = timesOf(ownAnswers.filter((answer) => !isOld(answer)))
    const usualTimes = timesOf(ownAnswers.filter(isOld))
    const health = judgeHealth({
      ...row,
      status_reason: channelReasonInBoth(row.status_reason) ?? detailInBoth(row.status_reason),
      test_error: detailInBoth(row.test_error),
      shutModels: shutModels(row, new Date(deps.now()).toISOString().slice(0, 10)).map(
        ({ model }) => model,
      ),
      answers: ownAnswers,
      faults: ownFaults.map((fault) => ({ ...fault, reason: reasonOf(fault) })),
      recentMs: medianOf(recentTimes),
      recentTimes: recentTimes.reduce((sum, count) => sum + count, 0),
      usualMs: medianOf(usualTimes),
      cooling: coolingOf(deps, row, versionOf.get(row.id)),
      hour,
    })
    const answered = ownAnswers.reduce((sum, one) => sum + one.answers, 0)
    const failed = ownFaults.reduce((sum, one) => sum + one.faults, 0)
    return { ...row, health: { ...health, attempts: answered + failed, faults: failed } }
  })
}

/** A provider that says nothing is described by its status. */
function reasonOf({ reason, kind, status }: { reason: string; kind: string; status: number }) {
  if (reason !== '') return detailInBoth(reason)
  const text = status === 0 ? kind : `HTTP ${status}`
  return { en: text, zh: text }
}

/** Times to the first token; those of whole answers grow with their length. */
const timesOf = (answers: readonly AnswerHour[]): number[] =>
  Array.from({ length: HISTOGRAM_BOUNDS_MS.length + 1 }, (_, bucket) =>
    answers.reduce((sum, { first_token }) => sum + (first_token[bucket] ?? 0), 0),
  )

const medianOf = (counts: readonly number[]) =>
  estimatePercentile({ counts, bounds: HISTOGRAM_BOUNDS_MS }, MEDIAN)

type Version = Awaited<ReturnType<typeof listVersions>>[number]

/** Models that this process skips at the channel. */
function coolingOf(
  { health }: Deps,
  { models, model_mapping }: ShownChannel,
  version: Version | undefined,
): HealthInput['cooling'] {
  const names = models.split(',').filter((model) => model !== '')
  if (version === undefined) return { models: 0, of: names.length, untilMs: 0 }
  const waits = names
    .map((model) => health.view(version, mappedModel(model_mapping, model)).cooldownMs)
    .filter((wait) => wait > 0)
  return { models: waits.length, of: names.length, untilMs: Math.max(0, ...waits) }
}
