import type { JsonRecord } from '../../bytes/json-value.ts'
import { type ContentCipher, NO_CIPHER } from '../../form/content-cipher.ts'
import { NO_NAMES, type ToolNames } from './tool-names.ts'

/** The parts of a request that its answer depends on. */
export type ResponseContext = {
  /** Settings that every response repeats. */
  readonly echoedSettings: () => JsonRecord
  /** The client asked for signed reasoning as `encrypted_content`. */
  readonly encryptsReasoning: boolean
  readonly cipher: ContentCipher
  readonly tools: ToolNames
  /** The answer is the summary of the conversation, as a compaction item. */
  readonly compacts: boolean
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Keeps the response's items for later requests; null if the client does not want it. */
  readonly keepItems: ((items: readonly JsonRecord[]) => void) | null
  /** Keeps the response itself, so that a later request can continue it. */
  readonly keepResponse: ((id: string, output: readonly JsonRecord[]) => boolean) | null
  /** Makes ids of responses and items unique, also those of providers that repeat their ids. */
  readonly idSuffix: string
}

/** For a request that could not be read. */
export const EMPTY_CONTEXT: ResponseContext = {
  echoedSettings: () => ({}),
  encryptsReasoning: false,
  cipher: NO_CIPHER,
  tools: NO_NAMES,
  compacts: false,
  now: () => 0,
  keepItems: null,
  keepResponse: null,
  idSuffix: '',
}
