import path from 'node:path'

const CACHE = path.join(import.meta.dirname, '../../../node_modules/.cache/compile')

/**
 * Tests run the server's sources in many processes and threads. Node's compile cache cuts the start
 * of a SQLite thread from 110 to 30 ms.
 */
export function useCompileCache() {
  process.env['NODE_COMPILE_CACHE'] ??= CACHE
}
