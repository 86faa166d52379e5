import { queryOptions } from '@tanstack/react-query'
import { type CatalogModel, catalogEndpoints } from '@tollgate/contract'
import { call } from './api.ts'
import { useSession } from './session.ts'
import { useStatus } from './status.ts'
import { useEarlyQuery } from './use-early-query.ts'

/** Models that the reader can call: those of the reader's groups, or the public ones. */
export const catalogQuery = (isSignedIn: boolean) =>
  queryOptions({
    queryKey: ['catalog', isSignedIn],
    queryFn: async ({ signal }) => {
      const { listCatalog, listPublicCatalog } = catalogEndpoints
      return (await call(isSignedIn ? listCatalog : listPublicCatalog, {}, signal)).data
    },
  })

export function useCatalog() {
  const isSignedIn = useSession() !== null
  const isPublic = useStatus()?.public_catalog === true
  return useEarlyQuery(catalogQuery(isSignedIn), isSignedIn || isPublic)
}

export type ExampleModel = Pick<CatalogModel, 'id' | 'api'>

/** A placeholder while no model is known, and for visitors if the catalog is not public. */
const UNKNOWN: ExampleModel = { id: 'your-model', api: 'chat' }

/**
 * A model for examples: of those that the token allows (an empty list allows all), the one used
 * most in the last day, chats first. One without a price, or that its vendor has shut down, is the
 * last resort.
 */
export function exampleModel(
  models: readonly CatalogModel[] = [],
  allowed: readonly string[] = [],
): ExampleModel {
  const callable = models.filter(({ id }) => allowed.length === 0 || allowed.includes(id))
  const [best] = callable.toSorted(
    (one, other) =>
      priced(other) - priced(one) ||
      served(other) - served(one) ||
      chats(other) - chats(one) ||
      successes(other) - successes(one),
  )
  const [named] = allowed
  return best ?? (named === undefined ? UNKNOWN : { id: named, api: 'chat' })
}

const priced = ({ price }: CatalogModel) => (price === null ? 0 : 1)
const served = ({ shutdown }: CatalogModel) =>
  shutdown !== null && shutdown <= new Date().toISOString().slice(0, 10) ? 0 : 1
const chats = ({ api }: CatalogModel) => (api === 'chat' ? 1 : 0)
const successes = ({ requests, failures }: CatalogModel) => requests - failures
