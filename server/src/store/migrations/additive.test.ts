import { expect, test } from 'vitest'
import { breaksOf, readCatalogFacts } from '../../../testing/harness/catalog-facts.ts'
import { openEmptyDatabase } from '../../../testing/harness/databases.ts'
import { connectTo } from '../../../testing/harness/former-database.ts'
import { BREAKING_MIGRATIONS, migrateTables, MIGRATION_NAMES } from '../migrate-tables.ts'

test('each migration leaves the tables usable to the code before it, except those that are listed', async () => {
  const place = await openEmptyDatabase('postgres')
  const kysely = connectTo(place)
  const breaks: Record<string, string[]> = {}
  let before = await readCatalogFacts(kysely)
  for (const name of MIGRATION_NAMES) {
    await migrateTables(kysely, 'postgres', name)
    const after = await readCatalogFacts(kysely)
    const found = breaksOf(before, after)
    if (found.length > 0) breaks[name] = found
    before = after
  }
  await kysely.destroy()
  await place.close()
  expect(Object.keys(breaks)).toEqual(BREAKING_MIGRATIONS)
})
