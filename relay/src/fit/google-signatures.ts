import { member, type JsonRecord, textOf } from '../bytes/json-value.ts'

/*
 * A signature is the sealed reasoning before an output and is sent back with the conversation. It
 * is in the place that Google's OpenAI-compatible API uses:
 * `extra_content.google.thought_signature` of the tool call, or of the message for its text.
 */

/** Replaces a signature that is lost or never existed, as for calls by another provider's model. */
export const NO_SIGNATURE = 'skip_thought_signature_validator'

export function signatureMember(signature: string): JsonRecord {
  return signature === '' ? {} : { extra_content: signatureValue(signature) }
}

export const signatureValue = (signature: string) => ({ google: { thought_signature: signature } })

/** For a tool call, a message or an image; empty if there is no signature. */
export const signatureOf = (carrier: unknown): string =>
  googleSignature(member(carrier, 'extra_content'))

/** Empty for a signature of another provider. */
export const googleSignature = (signature: unknown): string =>
  textOf(member(member(signature, 'google'), 'thought_signature'))

export const signed = (part: JsonRecord, signature: string): JsonRecord =>
  signature === '' ? part : { ...part, thoughtSignature: signature }
