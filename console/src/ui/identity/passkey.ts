import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { t } from '../../i18n/texts.ts'
import { Cancelled } from '../../lib/cancelled.ts'
import './factor.messages.ts'

/** Server's answer to the start of a WebAuthn ceremony; `options` are WebAuthn JSON options. */
type Request = { ticket: string; options: object }

/**
 * Authenticates with an existing passkey. Throws a `Cancelled` when the user dismisses the dialog.
 */
export async function askForPasskey({ ticket, options }: Request) {
  // Safe because the server creates these options for this call.
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  const response = await withReadableErrors(() => startAuthentication({ optionsJSON }))
  return { ticket, response: { ...response } }
}

/** Registers a new passkey. Throws a `Cancelled` when the user dismisses the dialog. */
export async function makePasskey({ ticket, options }: Request) {
  // Safe because the server creates these options for this call.
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  const response = await withReadableErrors(() => startRegistration({ optionsJSON }))
  return { ticket, response: { ...response } }
}

async function withReadableErrors<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    // Browsers report a dismissed dialog and a timeout alike.
    if (name === 'NotAllowedError' || name === 'AbortError') throw new Cancelled()
    throw new Error(textOf(error, message), { cause: error })
  }
}

function textOf(error: unknown, reason: string): string {
  const code = error instanceof WebAuthnError ? error.code : null
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return t('factor.passkey.known')
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID') {
    return t('factor.passkey.address')
  }
  return t('factor.passkey.failed', { reason })
}
