import type { JsonRecord } from '../../json-value.ts'

/** An event without its number. */
export type OutputEvent = JsonRecord & { readonly type: string }

export type ItemPlace = { readonly id: string; readonly output_index: number }

/** An item that is being written. */
export type OpenItem = {
  readonly place: ItemPlace
  /** Its last events, before the one that it is done. */
  readonly close: () => OutputEvent[]
  /** As it stands in the output. */
  readonly item: (status: ItemStatus) => JsonRecord
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'
