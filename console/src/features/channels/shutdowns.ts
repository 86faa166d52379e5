import { queryOptions, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { modelEndpoints } from '@tollgate/contract'
import { currentLanguage, joinNames } from '../../i18n/texts.ts'
import { call } from '../../lib/api.ts'

const mappingSchema = z.record(z.string(), z.string())

type Days = Readonly<Record<string, string>>

const shutdownsQuery = queryOptions({
  queryKey: ['shutdowns'],
  queryFn: async ({ signal }) => (await call(modelEndpoints.listShutdowns, {}, signal)).data,
  staleTime: Infinity,
})

/** By model: the first day without it. Undefined until loaded. */
export const useShutdowns = ({ enabled }: { enabled: boolean }): Days | undefined =>
  useQuery({ ...shutdownsQuery, enabled }).data

type ShutModel = { model: string; day: string }

/** Vendors date shutdowns by UTC days. */
const todayUtc = () => new Date().toISOString().slice(0, 10)

/** The chosen models that their vendor has shut down, in the order of the channel's list. */
export function shutModels(
  { models, mapping }: { models: readonly string[]; mapping: string },
  days: Days,
  today = todayUtc(),
): ShutModel[] {
  const sent = mappingOf(mapping)
  return models.flatMap((model) => {
    const name = sent.get(model) ?? model
    const day = Object.hasOwn(days, name) ? days[name] : undefined
    return day === undefined || day > today ? [] : [{ model, day }]
  })
}

const NAMES_SHOWN = 5

const dated = ({ model, day }: ShutModel) =>
  currentLanguage() === 'zh' ? `${model}（${day}）` : `${model} (${day})`

/** As `gpt-4 (2026-10-23), o1 (2026-10-23) …`. */
export const namesOf = (shut: readonly ShutModel[]): string => {
  const names = joinNames(shut.slice(0, NAMES_SHOWN).map(dated))
  return shut.length > NAMES_SHOWN ? `${names} …` : names
}

/** Invalid JSON, as while it is typed, maps nothing. */
function mappingOf(text: string): ReadonlyMap<string, string> {
  try {
    return new Map(Object.entries(mappingSchema.parse(JSON.parse(text))))
  } catch {
    return new Map()
  }
}
