import type { Kysely } from 'kysely'
import { LOG_FACETS, type LogFacets } from '@tollgate/contract'
import { findChannelNames } from '../../store/channels.ts'
import { countFacets, type FacetValue } from '../../store/log-facets.ts'
import type { LogFilter } from '../../store/log-filter.ts'
import type { Schema } from '../../store/schema.ts'
import { findUserNames } from '../../store/users.ts'

/** Values are labelled by today's names; a value without a name is its own label. */
export async function listFacets(
  db: Kysely<Schema>,
  filter: LogFilter,
  reader: { isAdmin: boolean },
): Promise<LogFacets> {
  const { counted, more, facets } = await countFacets(db, filter, reader)
  const [users, channels] = await Promise.all([
    findUserNames(db, idsOf(facets.get('user'))),
    findChannelNames(db, idsOf(facets.get('channel'))),
  ])
  const names = { user: users, channel: channels }
  return {
    counted,
    more,
    facets: LOG_FACETS.flatMap((name) => {
      const values = facets.get(name) ?? []
      if (values.length === 0) return []
      const known = name === 'user' || name === 'channel' ? names[name] : null
      const labelOf = (value: string) => known?.get(Number(value)) ?? value
      return [{ name, values: values.map((row) => ({ ...row, label: labelOf(row.value) })) }]
    }),
  }
}

const idsOf = (values: readonly FacetValue[] = []) => values.map(({ value }) => Number(value))
