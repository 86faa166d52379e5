import { closeSync, openSync, readSync } from 'node:fs'

const BYTES_MAX = 65_536

/** Reads a text file that may be a pipe. Refuses a large one: `/dev/zero` never ends. */
export function readSmallFile(path: string): string {
  const buffer = Buffer.alloc(BYTES_MAX + 1)
  const file = openSync(path, 'r')
  try {
    let size = 0
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      read = readSync(file, buffer, size, buffer.length - size, null)
    }
    if (size > BYTES_MAX) throw new Error(`it has more than ${BYTES_MAX} bytes`)
    return buffer.toString('utf8', 0, size)
  } finally {
    closeSync(file)
  }
}
