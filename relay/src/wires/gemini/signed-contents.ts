import { isRecord, listOf, omit, textOf } from '../../bytes/json-value.ts'
import { NO_SIGNATURE } from '../../fit/google-signatures.ts'
import { isOwnSignature } from '../openai-chat/reasoning-details.ts'
import { readField } from './fields.ts'

/** At most one per content. */
type PartPosition = { readonly content: number; readonly part: number }

/** Null when nothing changes. `signsCalls`: the model rejects unsigned calls. */
export function fittedContents(
  contents: readonly unknown[],
  signsCalls: boolean,
): readonly unknown[] | null {
  const plain = withoutSealedDetails(contents)
  return (signsCalls ? withSignedCalls(plain ?? contents) : null) ?? plain
}

/** Reasoning of other providers' models, encrypted in place of signatures, is left out. */
function withoutSealedDetails(contents: readonly unknown[]): unknown[] | null {
  const partsOf = (content: unknown) => listOf(readField(content, 'parts'))
  if (!contents.some((content) => partsOf(content).some(isSealed))) return null
  return contents.map((content) => {
    if (!isRecord(content) || !partsOf(content).some(isSealed)) return content
    const parts = partsOf(content).flatMap((part) => {
      if (!isRecord(part) || !isSealed(part)) return [part]
      const plain = omit(part, 'thoughtSignature', 'thought_signature')
      return readField(plain, 'text') === '' ? [] : [plain]
    })
    return { ...content, parts: parts.length === 0 ? [{ text: '' }] : parts }
  })
}

const isSealed = (part: unknown) => isOwnSignature(readField(part, 'thoughtSignature'))

/**
 * The contents with a placeholder signature at unsigned calls. Such calls come from another
 * provider's model, and Gemini rejects them unsigned. Only the first of several parallel calls is
 * signed. Null when no signature is missing.
 */
function withSignedCalls(contents: readonly unknown[]): unknown[] | null {
  const unsigned = unsignedCalls(contents)
  if (unsigned.length === 0) return null
  const partOf = new Map(unsigned.map(({ content, part }) => [content, part]))
  return contents.map((content, at) => {
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
