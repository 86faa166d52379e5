import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { modelEndpoints } from '@tollgate/contract'
import { call } from './api.ts'
import { getStoredJson, setStoredJson } from './storage.ts'

export type ModelsByType = Readonly<Record<string, readonly string[]>>

const modelsByType = z.record(z.string(), z.array(z.string()))

/** Fetched once per page load and kept in the browser; the stored list is shown until then. */
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

export const modelsOf = (models: ModelsByType | undefined, type: number): readonly string[] =>
  models?.[String(type)] ?? []

export const allModels = (models: ModelsByType | undefined): string[] =>
  [...new Set(Object.values(models ?? {}).flat())].toSorted()
