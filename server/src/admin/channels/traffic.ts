import { AppError, type ChannelTraffic, type Language } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import { mappedModel } from '../../domain/model-mapping.ts'
import { countAnswers, listAnswersByModel, listFaults } from '../../store/channel-traffic.ts'
import { findChannel, listVersions } from '../../store/channels.ts'
import type { AdminDeps } from '../deps.ts'

const MS_PER_HOUR = 3_600_000
const MS_PER_SECOND = 1000
const HOURS_PER_DAY = 24
const ERROR_HOURS = 7 * HOURS_PER_DAY

type FaultHour = Awaited<ReturnType<typeof listFaults>>[number]

export async function channelTraffic(
  { database: { kysely }, health, now }: AdminDeps,
  id: number,
  language: Language,
): Promise<ChannelTraffic> {
  const channel = await findChannel(kysely, id)
  const [version] = await listVersions(kysely, [id])
  if (!channel || !version) throw new AppError('channel_not_found')
  const hour = Math.floor(now() / MS_PER_HOUR)
  const firstHour = hour - HOURS_PER_DAY + 1
  const sums = await listAnswersByModel(kysely, { firstHour, id })
  const week = { firstHour: hour - ERROR_HOURS + 1, ids: [id] }
  const answers = await countAnswers(kysely, week)
  const faults = await listFaults(kysely, week)
  const sumsOf = new Map(sums.map((sum) => [sum.model_name, sum]))
  const textOf = ({ reason, kind }: FaultHour) => detailInBoth(reason || kind)[language]
  const models = channel.models.split(',').map((model) => {
    const upstream_model = mappedModel(channel.model_mapping, model)
    const own = faults.filter((fault) => fault.model_name === model && fault.hour >= firstHour)
    const last = own.at(-1)
    const sum = sumsOf.get(model)
    return {
      model,
      upstream_model,
      answers: sum?.answers ?? 0,
      faults: own.reduce((total, fault) => total + fault.faults, 0),
      quota: sum?.quota ?? 0,
      provider_cost: sum?.provider_cost ?? 0,
      costed_quota: sum?.costed_quota ?? 0,
      cooldown: Math.ceil(health.view(version, upstream_model).cooldownMs / MS_PER_SECOND),
      last_error: last === undefined ? '' : textOf(last),
    }
  })
  return { models, hours: hoursOf(answers, faults), errors: errorsIn(faults, textOf) }
}

const SECONDS_PER_HOUR = 3600

type Counted = { readonly hour: number; readonly answers?: number; readonly faults?: number }

function hoursOf(...rows: readonly (readonly Counted[])[]): ChannelTraffic['hours'] {
  const hours = [...Map.groupBy(rows.flat(), ({ hour }) => hour)]
  return hours
    .map(([hour, own]) => ({
      start: hour * SECONDS_PER_HOUR,
      answers: own.reduce((sum, { answers = 0 }) => sum + answers, 0),
      faults: own.reduce((sum, { faults = 0 }) => sum + faults, 0),
    }))
    .toSorted((one, other) => one.start - other.start)
}

function errorsIn(
  faults: readonly FaultHour[],
  textOf: (fault: FaultHour) => string,
): ChannelTraffic['errors'] {
  return [...Map.groupBy(faults, ({ kind }) => kind)]
    .flatMap(([kind, own]) => {
      const last = own.at(-1)
      if (last === undefined) return []
      const { status, last_at: at, model_name: model, request_id } = last
      const count = own.reduce((sum, fault) => sum + fault.faults, 0)
      const example = { reason: textOf(last), status, at, model, request_id }
      return [{ kind, faults: count, example }]
    })
    .toSorted((one, other) => other.faults - one.faults)
}
