import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { modelEndpoints } from '@tollgate/contract'
import { call } from './api.ts'
import { getStoredJson, setStoredJson } from './storage.ts'

export type ModelsByType = Readonly<Record<string, readonly string[]>>

const modelsByType = z.record(z.string(), z.array(z.string()))

/** Read once per start and kept in the browser; until then the kept list is shown. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => {
    const { data } = await call(modelEndpoints.listModels, {}, signal)
    setStoredJson('channel_models', data)
    return data
  },
  staleTime: Infinity,
  gcTime: Infinity,
  placeholderData: () => modelsByType.safeParse(getStoredJson('channel_models')).data,
})

/** The models of one channel type; none when the type is unknown. */
export const modelsOf = (models: ModelsByType | undefined, type: number): readonly string[] =>
  models?.[String(type)] ?? []

export const allModels = (models: ModelsByType | undefined): string[] =>
  [...new Set(Object.values(models ?? {}).flat())].toSorted()
