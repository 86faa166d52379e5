import type { JsonRecord } from '../../json-value.ts'

/** What became a function on the inside, and is called by what it was to the client. */
export type ToolKind = {
  /** Its calls carry a text as `input`, and not JSON as `arguments`. */
  readonly isCustom: boolean
  /** Null where the tool stands by itself. */
  readonly namespace: string | null
}

/** What of a request its answer depends on. */
export type Asked = {
  /** The settings, which every response says again. */
  readonly settings: JsonRecord
  /** Signed thoughts go to the client as `encrypted_content`. */
  readonly seals: boolean
  /** By the name of the tool. */
  readonly tools: ReadonlyMap<string, ToolKind>
}

/** Of a request that could not be read. */
export const NOTHING_ASKED: Asked = { settings: {}, seals: false, tools: new Map() }
