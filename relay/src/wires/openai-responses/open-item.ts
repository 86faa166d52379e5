import type { JsonRecord } from '../../bytes/json-value.ts'

/** An event without its sequence number. Its type is the first member. */
export type OutputEvent = JsonRecord & { readonly type: string }

export type ItemPlace = { readonly id: string; readonly output_index: number }

export type OpenItem = {
  readonly place: ItemPlace
  /** The item's last events, before its `output_item.done`. */
  readonly close: (status: ItemStatus) => OutputEvent[]
  readonly item: (status: ItemStatus) => JsonRecord
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'
