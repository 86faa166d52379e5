import type { Summary } from './backup-file.ts'

const MB = 1_000_000

/** For example `2 users, 3 tokens, 120 log rows, 1 journal file, 0.4 MB; secret key 1f2e3d4c`. */
export function describeBackup({ counts, paths, fingerprint }: Summary, bytes: number): string {
  const journals = paths.filter((path) => path.startsWith('journal/')).length
  const parts = [
    `${counts.users} users`,
    `${counts.tokens} tokens`,
    `${counts.logs} log rows`,
    `${journals} journal files`,
    `${(bytes / MB).toFixed(1)} MB`,
  ]
  return `${parts.join(', ')}; written with the secret key ${fingerprint.slice(0, 8)}…`
}
