import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { testProvider } from './provider-pairs.ts'

const PROVIDERS = path.join(import.meta.dirname, '../src/providers')

for (const name of readdirSync(PROVIDERS)) {
  const folder = path.join(PROVIDERS, name, '__fixtures__')
  if (existsSync(folder)) testProvider(folder)
}
