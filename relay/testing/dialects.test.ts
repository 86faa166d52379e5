import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { testDialect } from './dialect-pairs.ts'

const DIALECTS = path.join(import.meta.dirname, '../src/dialects')

for (const name of readdirSync(DIALECTS)) {
  const folder = path.join(DIALECTS, name, '__fixtures__')
  if (existsSync(folder)) testDialect(name, folder)
}
