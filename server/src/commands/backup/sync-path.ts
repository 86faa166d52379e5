import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Writes a file to the disk, or the names in a folder. Windows cannot sync folders. */
export function syncPath(path: string) {
  if (process.platform === 'win32') return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
