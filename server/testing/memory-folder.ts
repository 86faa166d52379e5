import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const LINUX_MEMORY = '/dev/shm'
/** From linux/magic.h. */
const TMPFS_MAGIC = 0x01_02_19_94
const FREE_BYTES_MIN = 4 * 1024 ** 3

/**
 * Where tests put what need not outlive them: files in memory where the machine has them and enough room, as making and
 * removing the thousand files of a PostgreSQL database takes ten times as long on a disk.
 */
export function memoryFolder(): string {
  try {
    const { type, bavail, bsize } = statfsSync(LINUX_MEMORY)
    if (type === TMPFS_MAGIC && bavail * bsize >= FREE_BYTES_MIN) return LINUX_MEMORY
  } catch {
    // Other systems have no such folder.
  }
  return tmpdir()
}
