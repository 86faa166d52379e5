import { type JsonRecord, textOf } from '../../bytes/json-value.ts'
import {
  type ContentCipher,
  decryptList,
  encryptList,
  type ListReader,
} from '../../form/content-cipher.ts'

/*
 * The `encrypted_content` of an item, which the client stores for the provider: an encrypted JSON
 * list. Its entries are signed reasoning blocks, and signatures of a tool call, an image or a text:
 *
 *   {"type":"thinking","thinking":…,"signature":…,"model":…}
 *   {"type":"redacted_thinking","data":…}
 *   {"type":"tool_call","id":…,"extra_content":…}
 *   {"type":"image","id":…,"extra_content":…}
 *   {"type":"message","extra_content":…}
 *   {"type":"reasoning_details","entries":[…]}
 *   {"type":"summary","text":…}
 */

/** In `include`, asks for encrypted content. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content'

const PREFIX = 'tg2_'
/** Base64 of `[{"`: earlier versions encoded the list only, so nothing proves where it is from. */
const UNENCRYPTED = 'W3si'

/** Longer than any model's reasoning with its signatures. */
const LENGTH_MAX = 8 * 1024 * 1024

/** Whether this gateway encrypted the content. Otherwise its provider did. */
export function isOwnContent(encrypted: unknown, cipher: ContentCipher): boolean {
  const text = textOf(encrypted)
  if (text.startsWith(PREFIX)) return cipher.isOwn(text.slice(PREFIX.length))
  return text.startsWith(UNENCRYPTED)
}

export const encryptEntries = (entries: readonly JsonRecord[], cipher: ContentCipher): string =>
  encryptList(PREFIX, entries, cipher)

/** Null for content of a provider, of another user or installation, or that was altered. */
export function decryptEntries(encrypted: unknown, reader: ListReader): JsonRecord[] | null {
  const given = textOf(encrypted)
  return given.length > LENGTH_MAX ? null : decryptList(PREFIX, given, reader)
}
