/**
 * The file system calls that the journal needs, so that tests can simulate a power cut. Every call
 * may throw.
 */
export type Disk = {
  /** Also creates missing parent folders. False if the folder exists. */
  readonly makeFolder: (path: string) => boolean
  /** Sorted names; empty if there is no such folder. */
  readonly listFolders: (path: string) => string[]
  readonly listFiles: (path: string) => string[]
  readonly read: (path: string) => Promise<Buffer>
  /** Creates a file for appending; throws if the file exists. */
  readonly create: (path: string) => OpenFile
  /** Does nothing if the file does not exist; the same holds for the removals. */
  readonly rename: (from: string, to: string) => void
  readonly removeFile: (path: string) => void
  readonly removeFolder: (path: string) => void
  /**
   * Locks a folder until release, or until the process ends in whatever way. Null while another
   * process holds the lock.
   */
  readonly lock: (folder: string) => FolderLock | null
}

export type FolderLock = { readonly release: () => void }

export type OpenFile = {
  /** Returns how many bytes were written, which may be fewer. */
  write: (bytes: Buffer) => number
  /** A power cut after this call loses neither the file nor what was written before the call. */
  sync: () => Promise<void>
  /** False if the file was deleted or its folder was moved away. */
  isLinked: () => boolean
  close: () => void
}
