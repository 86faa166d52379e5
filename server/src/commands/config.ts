import { parseArgs } from 'node:util'
import { ConfigurationError } from '../process/env.ts'
import { FileFaults } from './config/fault.ts'
import { jsonSchema } from './config/file-schema.ts'
import { readConfigFile } from './config/read-file.ts'
import { reasonOf } from './open-for-command.ts'

const FILE = 'tollgate.yaml'
const USE = 'use: npm run config -- validate|schema [FILE]'

async function main() {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} })
  const [action = '', file = FILE, ...others] = positionals
  if (others.length > 0) throw new ConfigurationError(USE)
  switch (action) {
    case 'validate':
      readConfigFile(file)
      return console.log(`config: ${file} is valid`)
    case 'schema':
      return console.log(JSON.stringify(jsonSchema(), null, 2))
    default:
      throw new ConfigurationError(USE)
  }
}

main().catch((error: unknown) => {
  if (error instanceof FileFaults) {
    for (const line of error.lines) console.error(line)
    console.error(`config: faults: ${error.lines.length}`)
  } else console.error(`config: could not be done: ${reasonOf(error)}`)
  process.exitCode = 1
})
