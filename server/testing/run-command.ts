import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Ended = { code: number; output: string }

type Place = { dataDir: string; databaseUrl?: string | undefined }

/** What `npm run audit` and `npm run reset-root` start: its source, run to its end beside a server's data. */
export function runCommand(
  name: 'audit' | 'reset-root',
  { dataDir, databaseUrl }: Place,
  ...args: string[]
): Promise<Ended> {
  const main = fileURLToPath(new URL(`../src/${name}-main.ts`, import.meta.url))
  const { NODE_COMPILE_CACHE } = process.env
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, NODE_COMPILE_CACHE }
  const { promise, resolve } = Promise.withResolvers<Ended>()
  execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
  )
  return promise
}
