import { z } from 'zod'

/*
 * WebAuthn's JSON forms as browsers send them, reduced to the fields the library reads. All values
 * are unverified claims of the sender.
 */

const bytes = z.base64url().max(32_768)

const extensions = z.looseObject({}).default({})

const common = {
  id: bytes.min(1),
  rawId: bytes.min(1),
  type: z.literal('public-key'),
  clientExtensionResults: extensions,
}

export const assertionForm = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.optional(),
  }),
})

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

export const attestationForm = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z
      .array(z.string())
      .max(20)
      .default([])
      .transform((names) => TRANSPORTS.filter((name) => names.includes(name))),
  }),
})

/** `crossOrigin` is true for a page in a frame of another site. The console is never framed. */
export const clientData = z.looseObject({ crossOrigin: z.boolean().optional() })
