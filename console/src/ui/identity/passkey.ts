import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import i18next from 'i18next'
import { Cancelled } from '../../lib/cancelled.ts'
import './factor.messages.ts'

/** What the server answers at the beginning; `options` are WebAuthn's, in JSON. */
type Request = { ticket: string; options: object }

/** Asks for a passkey that there is. Whoever dismisses the browser's dialog gets a `Cancelled`. */
export async function askForPasskey({ ticket, options }: Request) {
  // Safe because the server makes these options for this very call.
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  const response = await inWords(() => startAuthentication({ optionsJSON }))
  return { ticket, response: { ...response } }
}

/** Makes a new passkey. Whoever dismisses the browser's dialog gets a `Cancelled`. */
export async function makePasskey({ ticket, options }: Request) {
  // Safe because the server makes these options for this very call.
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  const response = await inWords(() => startRegistration({ optionsJSON }))
  return { ticket, response: { ...response } }
}

async function inWords<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    // Browsers do not tell a dismissed dialog from one that ran out of time.
    if (name === 'NotAllowedError' || name === 'AbortError') throw new Cancelled()
    throw new Error(textOf(error, message), { cause: error })
  }
}

function textOf(error: unknown, reason: string): string {
  const code = error instanceof WebAuthnError ? error.code : null
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return i18next.t('factor.passkey.known')
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID') {
    return i18next.t('factor.passkey.address')
  }
  return i18next.t('factor.passkey.failed', { reason })
}
