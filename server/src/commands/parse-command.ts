import { parseArgs, type ParseArgsConfig } from 'node:util'
import { ConfigurationError } from '../process/env.ts'

/**
 * Reads the arguments of a command. `--help` prints `use` and ends the process; a fault names the
 * argument and says `use`.
 */
export function parseCommand<Config extends ParseArgsConfig>(use: string, config: Config) {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${use}\n`)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    // Node.js explains how to pass an argument that begins with a dash.
    const [reason = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new ConfigurationError(`${reason}; ${use}`)
  }
}
