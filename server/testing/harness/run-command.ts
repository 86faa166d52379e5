import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Ended = { code: number; output: string }

type Place = { dataDir: string; databaseUrl?: string | undefined }

/**
 * Runs the source of a command such as `npm run audit` to completion, on the data of a
 * running server.
 */
export function runCommand(
  name: 'audit' | 'backup' | 'config' | 'doctor' | 'import' | 'reset-root' | 'restore',
  { dataDir, databaseUrl }: Place,
  ...args: string[]
): Promise<Ended> {
  const main = fileURLToPath(new URL(`../../src/commands/${name}.ts`, import.meta.url))
  const { NODE_COMPILE_CACHE } = process.env
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, NODE_COMPILE_CACHE }
  const { promise, resolve } = Promise.withResolvers<Ended>()
  execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
  )
  return promise
}
