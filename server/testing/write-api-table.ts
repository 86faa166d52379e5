import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPage, apiRows } from './api-table.ts'

const root = join(import.meta.dirname, '../..')

writeFileSync(join(root, 'docs/api.md'), apiPage(apiRows(join(root, 'server/src/admin'))))
