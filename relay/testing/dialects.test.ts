import { DIALECT_FIXTURES, testDialect } from './dialect-pairs.ts'

for (const [name, folder] of Object.entries(DIALECT_FIXTURES)) testDialect(name, folder)
