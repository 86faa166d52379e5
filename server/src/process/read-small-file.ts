import { closeSync, openSync, readSync } from 'node:fs'

/** Reads a text file that may be a pipe. Refuses a larger one: `/dev/zero` never ends. */
export function readSmallFile(path: string, bytesMax: number): string {
  const buffer = Buffer.alloc(bytesMax + 1)
  const file = openSync(path, 'r')
  try {
    let size = 0
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      read = readSync(file, buffer, size, buffer.length - size, null)
    }
    if (size > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`)
    return buffer.toString('utf8', 0, size)
  } finally {
    closeSync(file)
  }
}
