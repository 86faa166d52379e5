import type { ManagedKind } from '@tollgate/contract'

export type ConfigFileTable = {
  /** Always 1. */
  id: number
  /** The name of the file, without its folder. */
  name: string
  locked: 0 | 1
  applied_at: number
}

export type ManagedObjectsTable = {
  kind: ManagedKind
  /** The key of an option, or the name of a group, a model or a channel. */
  name: string
  channel_id: number
}

export type ConfigTables = {
  config_file: ConfigFileTable
  managed_objects: ManagedObjectsTable
}
