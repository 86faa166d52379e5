import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { ReleaseError } from './prepare.mjs'

const TAR_BYTES_MAX = 1024 ** 3

/** The archive of a folder has the same bytes wherever and whenever it is made. */
export function packFolder(folder, file, seconds) {
  const options = [
    '--create',
    '--sort=name',
    '--format=posix',
    '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime',
    `--mtime=@${seconds}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rw,go=rX',
    `--directory=${path.dirname(folder)}`,
    path.basename(folder),
  ]
  const { status, stdout, stderr, error } = spawnSync('tar', options, { maxBuffer: TAR_BYTES_MAX })
  if (status !== 0) {
    throw new ReleaseError(`GNU tar is needed: ${error?.message ?? stderr.toString().trim()}`)
  }
  writeFileSync(file, gzipSync(stdout))
}

/** In the form that `sha256sum --check` reads. */
export function writeChecksums(folder, names) {
  const lines = names.map((name) => {
    const hash = createHash('sha256').update(readFileSync(path.join(folder, name)))
    return `${hash.digest('hex')}  ${name}\n`
  })
  writeFileSync(path.join(folder, 'SHA256SUMS'), lines.join(''))
}
