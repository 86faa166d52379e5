import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPage, apiRows, TESTED_IN } from './api-table.ts'

const root = join(import.meta.dirname, '../../..')

writeFileSync(
  join(root, 'docs/reference/api.md'),
  apiPage(apiRows(TESTED_IN.map((folder) => join(root, folder)))),
)
