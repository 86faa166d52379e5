import type { Logger } from 'pino'
import { AppError } from '@tollgate/contract'
import type { Passkey } from '../../store/second-factors.ts'
import { assertionForm, attestationForm, clientData } from './passkey-forms.ts'
import type { RelyingParty } from './relying-party.ts'
import { TICKET_SECONDS } from './tickets.ts'

/** Loaded on first use: the library needs about a tenth of the server's memory. */
const load = () => import('@simplewebauthn/server')
const loadHelpers = () => import('@simplewebauthn/server/helpers')

/** EdDSA, ES256 and RS256 (IANA COSE algorithms). */
const ALGORITHMS = [-8, -7, -257]
const TIMEOUT_MS = TICKET_SECONDS * 1000

type Stored = Pick<Passkey, 'credential_id' | 'transports'>

const descriptor = ({ credential_id, transports }: Stored) => ({
  id: credential_id,
  transports: transports === '' ? [] : transports.split(','),
})

type Creating = {
  rp: RelyingParty
  rpName: string
  challenge: string
  user: { username: string; display_name: string }
  handle: string
  existing: readonly Stored[]
}

export async function creationOptions(creating: Creating): Promise<Record<string, unknown>> {
  const { rp, rpName, challenge, user, handle, existing } = creating
  const { generateRegistrationOptions } = await load()
  const options = await generateRegistrationOptions({
    rpID: rp.id,
    rpName,
    userName: user.username,
    userDisplayName: user.display_name,
    userID: bytesOf(handle),
    challenge: bytesOf(challenge),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map(descriptor),
  })
  return { ...options }
}

/**
 * Request options for the browser's WebAuthn call. Without `allowed` the browser offers every
 * passkey it has.
 */
export async function requestOptions({
  rp,
  challenge,
  allowed,
}: {
  rp: RelyingParty
  challenge: string
  allowed: readonly Stored[] | null
}): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await load()
  const options = await generateAuthenticationOptions({
    rpID: rp.id,
    challenge: bytesOf(challenge),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    ...(allowed === null ? {} : { allowCredentials: allowed.map(descriptor) }),
  })
  return { ...options }
}

const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, 'base64url'))

type Checking = { response: unknown; challenge: string; rp: RelyingParty; log: Logger }

export type NewPasskey = Pick<
  Passkey,
  'credential_id' | 'public_key' | 'counter' | 'transports' | 'rp_id'
>

/**
 * Throws `passkey_refused` unless the response is a passkey created for this challenge and host.
 */
export async function checkAttestation({
  response,
  challenge,
  rp,
  log,
}: Checking): Promise<NewPasskey> {
  return refusing(log, async () => {
    const form = attestationForm.parse(response)
    refuseFrames(form.response.clientDataJSON)
    await refuseCertificates(form.response.attestationObject)
    const { verifyRegistrationResponse } = await load()
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: form,
      expectedChallenge: challenge,
      expectedOrigin: rp.origins,
      expectedRPID: rp.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) throw new Error('the attestation is not valid')
    const { id, publicKey, counter } = registrationInfo.credential
    if (id !== form.id) throw new Error('the response names another credential')
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: form.response.transports.join(','),
      rp_id: rp.id,
    }
  })
}

/**
 * Rejects attestation certificates. None are requested, and the library would fetch the revocation
 * lists they name, from any address, including our internal network.
 */
async function refuseCertificates(attestationObject: string) {
  const { decodeAttestationObject } = await loadHelpers()
  const decoded = decodeAttestationObject(bytesOf(attestationObject))
  const format: string = decoded.get('fmt')
  const isSelf = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined
  if (format !== 'none' && !isSelf) throw new Error(`attestation ${format} was not asked for`)
}

/** Reads which passkey a response claims to be from, before verification. */
export function claimedPasskey(response: unknown): { id: string; userHandle: string | undefined } {
  const form = assertionForm.safeParse(response)
  if (!form.success) throw new AppError('passkey_refused', {}, form.error)
  return { id: form.data.id, userHandle: form.data.response.userHandle }
}

/**
 * Returns the new signature counter. Throws `passkey_refused` unless the passkey signed this
 * challenge.
 */
export async function checkAssertion({
  response,
  challenge,
  rp,
  log,
  passkey,
}: Checking & { passkey: Passkey }): Promise<number> {
  return refusing(log, async () => {
    const form = assertionForm.parse(response)
    refuseFrames(form.response.clientDataJSON)
    const { userHandle, ...signed } = form.response
    const { verifyAuthenticationResponse } = await load()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...form,
        response: { ...signed, ...(userHandle === undefined ? {} : { userHandle }) },
      },
      expectedChallenge: challenge,
      expectedOrigin: rp.origins,
      expectedRPID: rp.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: bytesOf(passkey.public_key),
        counter: passkey.counter,
      },
    })
    if (!verified) throw new Error('the signature is not valid')
    return authenticationInfo.newCounter
  })
}

function refuseFrames(clientDataJSON: string) {
  const text = Buffer.from(clientDataJSON, 'base64url').toString('utf8')
  if (clientData.parse(JSON.parse(text)).crossOrigin) throw new Error('a frame of another site')
}

/** Logs the reason for the operator, such as a wrong host or a cloned passkey. */
async function refusing<Result>(log: Logger, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 500) : String(error)
    log.warn({ reason }, 'a passkey was refused')
    throw new AppError('passkey_refused', {}, error)
  }
}
