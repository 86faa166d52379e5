import type { JsonRecord } from '../../json-value.ts'

/** The client's definition of a tool that was translated to a function. */
export type ToolKind = {
  /** Calls carry a text as `input` instead of JSON as `arguments`. */
  readonly isCustom: boolean
  /** Null for a tool outside of namespaces. */
  readonly namespace: string | null
}

/** The parts of a request that its answer depends on. */
export type Asked = {
  /** Settings that every response repeats. */
  readonly settings: JsonRecord
  /** The client asked for signed reasoning as `encrypted_content`. */
  readonly seals: boolean
  /** By tool name. */
  readonly tools: ReadonlyMap<string, ToolKind>
}

/** For a request that could not be read. */
export const NOTHING_ASKED: Asked = { settings: {}, seals: false, tools: new Map() }
