import { changesState, type Endpoint, listEndpoints } from '@tollgate/contract'
import { describeEndpoints } from '../../src/admin/api-document/describe.ts'

/** The lists that table-driven suites iterate over, and that docs/reference/api.md is made from. */
export const endpoints = listEndpoints()

export const guarded = endpoints.filter(({ endpoint }) => endpoint.access !== 'public')

export const changing = endpoints.filter(({ endpoint }) => changesState(endpoint))

const described = new Map(describeEndpoints().map((endpoint) => [endpoint.name, endpoint]))

export const withBody = endpoints.flatMap(({ name, endpoint }) => {
  const schema = described.get(name)?.body
  return schema === undefined ? [] : [{ name, endpoint, schema }]
})

export const withQuery = endpoints.flatMap(({ name, endpoint }) => {
  const { query: schema, body } = described.get(name) ?? {}
  return schema === undefined ? [] : [{ name, endpoint, schema, bodySchema: body }]
})

export const withParams = endpoints.filter(({ endpoint }) => endpoint.parts.params !== undefined)

/** Schemas of bodies and queries by the name of the endpoint. */
export const bodies = new Map(withBody.map(({ name, schema }) => [name, schema]))
export const queries = new Map(withQuery.map(({ name, schema }) => [name, schema]))

/** The path of an endpoint, with the id of no row. */
export const pathOf = ({ path }: Endpoint) => path.replace(':id', '999999')
