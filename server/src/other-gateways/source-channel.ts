import type { Row } from './row.ts'

export type SourceChannel = {
  readonly id: string
  /** A channel type of this product. */
  readonly type: number
  readonly isEnabled: boolean
  /** Why the gateway has disabled the channel; empty otherwise. */
  readonly disabledReason: string
  readonly name: string
  readonly keys: readonly string[]
  readonly baseUrl: string
  readonly other: string
  readonly models: readonly string[]
  readonly groups: readonly string[]
  readonly tag: string
  readonly modelMapping: Row
  readonly priority: number
  readonly weight: number
  readonly config: Row
  readonly createdTime: number
}

/** What cannot be carried over, for the report. */
export type Tell = (topic: string, detail: string) => void
