import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import type { NestedJson } from '../../form/nested-json.ts'

/*
 * The `encrypted_content` of a reasoning item, which the client stores for the provider: base64 of
 * a JSON list. Its entries are signed reasoning blocks, and signatures of a tool call, an image or
 * a text:
 *
 *   {"type":"thinking","thinking":…,"signature":…,"model":…}
 *   {"type":"redacted_thinking","data":…}
 *   {"type":"tool_call","id":…,"extra_content":…}
 *   {"type":"image","id":…,"extra_content":…}
 *   {"type":"message","extra_content":…}
 *   {"type":"reasoning_details","entries":[…]}
 */

/** In `include`, asks for encrypted content. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content'

/** Base64 of `[{"`. */
const OWN_START = 'W3si'

/** Whether this relay sealed the content. Otherwise its provider encrypted it. */
export const isOwnSeal = (sealed: unknown): boolean => textOf(sealed).startsWith(OWN_START)

export const seal = (entries: readonly JsonRecord[]): string =>
  Buffer.from(JSON.stringify(entries)).toString('base64')

/** Empty for content sealed by another system, which is of no use to other providers. */
export function unseal(sealed: unknown, nested: NestedJson): JsonRecord[] {
  if (!isOwnSeal(sealed)) return []
  const entries = nested.parse(Buffer.from(textOf(sealed), 'base64').toString('utf8'))
  return Array.isArray(entries) ? entries.filter(isRecord) : []
}
