import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSchema } from '../../src/commands/config/file-schema.ts'
import { optionsPage } from './options-page.ts'

const root = join(import.meta.dirname, '../../..')
const page = join(root, 'docs/reference/options.md')

writeFileSync(page, optionsPage(readFileSync(page, 'utf8')))
writeFileSync(
  join(root, 'deploy/tollgate.schema.json'),
  `${JSON.stringify(jsonSchema(), null, 2)}\n`,
)
