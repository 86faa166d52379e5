import { basename } from 'node:path'

/** The built product has no npm. */
const isBuilt = basename(process.argv[1] ?? '') === 'tollgate.js'

/** What a person types to run the command. */
export function invocation(command: string, argumentsText = ''): string {
  const separator = isBuilt || argumentsText === '' ? '' : ' --'
  const text = argumentsText === '' ? '' : ` ${argumentsText}`
  return `${isBuilt ? 'tollgate' : 'npm run'} ${command}${separator}${text}`
}
