import { isRecord, listOf, textOf } from '../../json-value.ts'
import { NO_SIGNATURE } from '../../providers/google-gemini/signatures.ts'
import { readField } from './fields.ts'

/** At most one per content. */
type PartPosition = { readonly content: number; readonly part: number }

/**
 * The contents with a placeholder signature at unsigned calls. Such calls come from another
 * provider's model, and Gemini rejects them unsigned. Only the first of several parallel calls is
 * signed. Null when no signature is missing.
 */
export function signedContents(contents: unknown): unknown[] | null {
  const unsigned = unsignedCalls(listOf(contents))
  if (unsigned.length === 0) return null
  const partOf = new Map(unsigned.map(({ content, part }) => [content, part]))
  return listOf(contents).map((content, at) => {
    const unsignedPart = partOf.get(at)
    if (unsignedPart === undefined || !isRecord(content)) return content
    const parts = listOf(content['parts']).map((part, index) =>
      index === unsignedPart && isRecord(part) ? { ...part, thoughtSignature: NO_SIGNATURE } : part,
    )
    return { ...content, parts }
  })
}

/** Unsigned first calls of model turns. Clients keep each chunk of a stream as a content. */
function unsignedCalls(contents: readonly unknown[]): PartPosition[] {
  const found: PartPosition[] = []
  let first: PartPosition | null = null
  let isSigned = false
  const endTurn = () => {
    if (first !== null && !isSigned) found.push(first)
    first = null
    isSigned = false
  }
  for (const [content, value] of contents.entries()) {
    if (readField(value, 'role') !== 'model') endTurn()
    else {
      for (const [part, partValue] of listOf(readField(value, 'parts')).entries()) {
        if (readField(partValue, 'functionCall') === undefined) continue
        first ??= { content, part }
        isSigned ||= textOf(readField(partValue, 'thoughtSignature')) !== ''
      }
    }
  }
  endTurn()
  return found
}
