import { isRecord, type JsonRecord, textOf } from '../../json-value.ts'
import type { NestedJson } from '../../nested-json.ts'

/*
 * What a client keeps for the provider as `encrypted_content` of a reasoning item: base64 of a JSON list.
 * Its entries are thoughts as providers sign them, and signatures that belong to a tool call, to a picture or to a text:
 *
 *   {"type":"thinking","thinking":…,"signature":…,"model":…} and {"type":"redacted_thinking","data":…}
 *   {"type":"tool_call","id":…,"extra_content":…}, {"type":"image","id":…,"extra_content":…}
 *   and {"type":"message","extra_content":…}
 */

export const seal = (entries: readonly JsonRecord[]): string =>
  Buffer.from(JSON.stringify(entries)).toString('base64')

/** Nothing for what was sealed elsewhere: it cannot be read here, and says nothing to another provider. */
export function unseal(sealed: unknown, nested: NestedJson): JsonRecord[] {
  const entries = nested.parse(Buffer.from(textOf(sealed), 'base64').toString('utf8'))
  return Array.isArray(entries) ? entries.filter(isRecord) : []
}
