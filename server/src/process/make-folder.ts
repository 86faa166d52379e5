import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, and returns the first that was missing. Node's own `recursive`
 * never ends where the system reports an existing folder as missing, as in `/proc`.
 */
export function makeFolder(path: string, mode: number): string | undefined {
  if (existsSync(path)) return undefined
  const above = dirname(path)
  const first = above === path ? undefined : makeFolder(above, mode)
  mkdirSync(path, { mode })
  return first ?? path
}
