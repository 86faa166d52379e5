import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { optionsPage } from './options-page.ts'

const file = join(import.meta.dirname, '../../../docs/reference/options.md')

writeFileSync(file, optionsPage(readFileSync(file, 'utf8')))
