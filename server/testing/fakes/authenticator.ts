import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { z } from 'zod'

/*
 * A software passkey that behaves as browsers and authenticators do (WebAuthn, level 3): an ES256
 * key, attestation "none", flags and a counter. Tests name the faults they want.
 */

const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40 } as const
const AAGUID = Buffer.alloc(16)
const ID_BYTES = 32

const bytesText = z.string()

const creationSchema = z.object({
  challenge: bytesText,
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: bytesText, name: z.string() }),
  excludeCredentials: z.array(z.object({ id: bytesText })).default([]),
})

const requestSchema = z.object({
  challenge: bytesText,
  rpId: z.string(),
  allowCredentials: z.array(z.object({ id: bytesText })).optional(),
})

/** Faults to inject; everything else follows the browser's behaviour. */
export type Faults = {
  origin?: string
  rpId?: string
  challenge?: string
  /** Clears the user-verified flag. */
  withoutVerification?: boolean
  /** Clears the user-present flag. */
  withoutPresence?: boolean
  counter?: number
  type?: string
  crossOrigin?: boolean
  userHandle?: string | undefined
  signature?: Buffer
  /** An attestation statement to send in place of "none". */
  attestation?: { fmt: string; attStmt: Map<string, unknown> }
}

export type Authenticator = ReturnType<typeof createAuthenticator>

type Passkey = {
  origin: string
  isSynced: boolean
  id: Buffer
  publicKey: KeyObject
  privateKey: KeyObject
  counter: number
  /** The server's user handle, known once the passkey is created. */
  userHandle: string
}

/** `origin` is the page's origin. The counter of a synced passkey stays 0. */
export function createAuthenticator({ origin = 'http://localhost', isSynced = false } = {}) {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(ID_BYTES)
  const passkey: Passkey = { ...keys, origin, isSynced, id, counter: 0, userHandle: '' }
  return {
    credentialId: text(id),
    create: (options: unknown, faults: Faults = {}) => create(passkey, options, faults),
    get: (options: unknown, faults: Faults = {}) => use(passkey, options, faults),
  }
}

function create(passkey: Passkey, options: unknown, faults: Faults) {
  const { challenge, rp, user } = creationSchema.parse(options)
  passkey.userHandle = user.id
  const { id, publicKey } = passkey
  const authData = Buffer.concat([
    authenticatorData(passkey, rp.id, faults, FLAGS.at),
    AAGUID,
    Buffer.from([0, ID_BYTES]),
    id,
    coseKey(publicKey),
  ])
  const { fmt, attStmt } = faults.attestation ?? { fmt: 'none', attStmt: new Map() }
  const attestation = new Map<string, unknown>([
    ['fmt', fmt],
    ['attStmt', attStmt],
    ['authData', authData],
  ])
  return {
    ...credential(id),
    clientExtensionResults: { credProps: { rk: true } },
    response: {
      clientDataJSON: text(clientDataOf(passkey, 'webauthn.create', challenge, faults)),
      attestationObject: text(encode(attestation)),
      transports: ['internal', 'hybrid'],
    },
  }
}

function use(passkey: Passkey, options: unknown, faults: Faults) {
  const { challenge, rpId } = requestSchema.parse(options)
  const clientData = clientDataOf(passkey, 'webauthn.get', challenge, faults)
  const authData = authenticatorData(passkey, rpId, faults)
  const hash = createHash('sha256').update(clientData).digest()
  const signature = sign('sha256', Buffer.concat([authData, hash]), passkey.privateKey)
  const handle = 'userHandle' in faults ? faults.userHandle : passkey.userHandle
  return {
    ...credential(passkey.id),
    clientExtensionResults: {},
    response: {
      clientDataJSON: text(clientData),
      authenticatorData: text(authData),
      signature: text(faults.signature ?? signature),
      ...(handle === undefined ? {} : { userHandle: handle }),
    },
  }
}

const text = (bytes: Buffer) => bytes.toString('base64url')

const credential = (id: Buffer) => ({
  id: text(id),
  rawId: text(id),
  type: 'public-key',
  authenticatorAttachment: 'platform',
})

const clientDataOf = ({ origin }: Passkey, type: string, challenge: string, faults: Faults) =>
  Buffer.from(
    JSON.stringify({
      type: faults.type ?? type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? origin,
      crossOrigin: faults.crossOrigin ?? false,
    }),
  )

export const allowedIn = (options: unknown) =>
  requestSchema.parse(options).allowCredentials?.map(({ id }) => id)

export const excludedIn = (options: unknown) =>
  creationSchema.parse(options).excludeCredentials.map(({ id }) => id)

export const handleIn = (options: unknown) => creationSchema.parse(options).user.id

function authenticatorData(passkey: Passkey, rpId: string, faults: Faults, extra = 0): Buffer {
  const { isSynced } = passkey
  if (!isSynced) passkey.counter += 1
  const flags =
    extra |
    (faults.withoutPresence ? 0 : FLAGS.up) |
    (faults.withoutVerification ? 0 : FLAGS.uv) |
    (isSynced ? FLAGS.be | FLAGS.bs : 0)
  const count = Buffer.alloc(4)
  count.writeUInt32BE(faults.counter ?? passkey.counter)
  const rpHash = createHash('sha256')
    .update(faults.rpId ?? rpId)
    .digest()
  return Buffer.concat([rpHash, Buffer.from([flags]), count])
}

/** COSE key: EC2, ES256, P-256 and the two coordinates (RFC 9053). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return encode(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5 } as const

/** The subset of CBOR (RFC 8949) that authenticators write. */
function encode(value: unknown): Buffer {
  if (typeof value === 'number') {
    return value >= 0 ? head(MAJOR.unsigned, value) : head(MAJOR.negative, -1 - value)
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([head(MAJOR.text, text.length), text])
  }
  if (value instanceof Uint8Array) {
    return Buffer.concat([head(MAJOR.bytes, value.length), value])
  }
  if (Array.isArray(value)) {
    return Buffer.concat([head(MAJOR.array, value.length), ...value.map(encode)])
  }
  if (value instanceof Map) {
    const pairs = [...value].flatMap(([key, inner]) => [encode(key), encode(inner)])
    return Buffer.concat([head(MAJOR.map, value.size), ...pairs])
  }
  throw new TypeError(`no CBOR for ${typeof value}`)
}

function head(major: number, length: number): Buffer {
  const type = major << 5
  if (length < 24) return Buffer.from([type | length])
  if (length < 256) return Buffer.from([type | 24, length])
  return Buffer.from([type | 25, length >> 8, length & 255])
}
