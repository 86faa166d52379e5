/** What the journal needs of a file system, so that tests can cut its power. Every call may throw. */
export type Disk = {
  /** With the folders above it; false when it is there. */
  readonly makeFolder: (path: string) => boolean
  /** Names, sorted; none when there is no such folder. */
  readonly listFolders: (path: string) => string[]
  readonly listFiles: (path: string) => string[]
  readonly read: (path: string) => Promise<Buffer>
  /** A new file, to be appended to; throws when it exists. */
  readonly create: (path: string) => OpenFile
  /** A file that is not there is as good as renamed, or removed. */
  readonly rename: (from: string, to: string) => void
  readonly removeFile: (path: string) => void
  readonly removeFolder: (path: string) => void
  /**
   * Takes a folder until it is released or the process ends, in whatever way; null while another
   * process has it.
   */
  readonly lock: (folder: string) => FolderLock | null
}

export type FolderLock = { readonly release: () => void }

export type OpenFile = {
  /** Returns how many bytes were written, which may be fewer. */
  write: (bytes: Buffer) => number
  /** After it a power cut takes neither the file nor what was written before the call. */
  sync: () => Promise<void>
  /** False when the file was deleted under us, or its folder moved away. */
  isLinked: () => boolean
  close: () => void
}
