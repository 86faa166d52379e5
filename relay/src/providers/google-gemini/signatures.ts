import { member, type JsonRecord, textOf } from '../../json-value.ts'

/*
 * What a model thought before it said something, sealed; it is sent back with the conversation. Where Google's
 * own OpenAI-compatible address puts it: in `extra_content.google.thought_signature` of the tool call, or of
 * the message for its text.
 */

/** Stands for a signature that is lost or never was, as with calls of another provider's model. */
export const NO_SIGNATURE = 'skip_thought_signature_validator'

export function signatureMember(signature: string): JsonRecord {
  return signature === '' ? {} : { extra_content: { google: { thought_signature: signature } } }
}

/** Of a tool call, a message or an image; empty when there is none. */
export function signatureOf(carrier: unknown): string {
  const google = member(member(carrier, 'extra_content'), 'google')
  return textOf(member(google, 'thought_signature'))
}

/** The part, signed if there is a signature. */
export const signed = (part: JsonRecord, signature: string): JsonRecord =>
  signature === '' ? part : { ...part, thoughtSignature: signature }
