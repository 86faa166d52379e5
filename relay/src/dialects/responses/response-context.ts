import type { JsonRecord } from '../../json-value.ts'

/** The client's definition of a tool that was translated to a function. */
export type ToolKind = {
  /** Calls carry a text as `input` instead of JSON as `arguments`. */
  readonly isCustom: boolean
  /** Null for a tool outside of namespaces. */
  readonly namespace: string | null
}

/** The parts of a request that its answer depends on. */
export type ResponseContext = {
  /** Settings that every response repeats. */
  readonly echoedSettings: JsonRecord
  /** The client asked for signed reasoning as `encrypted_content`. */
  readonly encryptsReasoning: boolean
  /** By tool name. */
  readonly tools: ReadonlyMap<string, ToolKind>
}

/** For a request that could not be read. */
export const EMPTY_CONTEXT: ResponseContext = {
  echoedSettings: {},
  encryptsReasoning: false,
  tools: new Map(),
}
