import { execFile } from 'node:child_process'
import path from 'node:path'
import { V8_FLAGS } from './v8-flags.ts'

export type Ended = { code: number; output: string }

type Place = { dataDir: string; databaseUrl?: string | undefined }

/**
 * Runs a command such as `npm run audit` to completion, on the data of a running server. It is the
 * built command where the tests have built the server, else the source.
 */
export function runCommand(
  name: 'audit' | 'backup' | 'config' | 'doctor' | 'import' | 'reset-root' | 'restore',
  { dataDir, databaseUrl }: Place,
  ...args: string[]
): Promise<Ended> {
  const { NODE_COMPILE_CACHE, TEST_SERVER } = process.env
  const main =
    TEST_SERVER === undefined
      ? [path.join(import.meta.dirname, `../../src/commands/${name}.ts`)]
      : [path.join(TEST_SERVER, '../tollgate.js'), name]
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, NODE_COMPILE_CACHE }
  const { promise, resolve } = Promise.withResolvers<Ended>()
  execFile(process.execPath, [...V8_FLAGS, ...main, ...args], { env }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
  )
  return promise
}
