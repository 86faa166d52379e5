import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
} from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RELAY_KEY_CHARACTERS = 48

export type Secrets = {
  /** What a relay key is found by in the database. */
  hashRelayKey: (key: string) => string
  sealRelayKey: (key: string) => string
  openRelayKey: (sealed: string) => string
  sealChannelKey: (key: string) => string
  openChannelKey: (sealed: string) => string
  hashSession: (id: string) => string
  hashAccessToken: (token: string) => string
  /** Tells whether a database was written with the same secret key, without giving it away. */
  fingerprint: string
}

/** One derived key per purpose (HKDF, RFC 5869), so that none can stand in for another. */
export function deriveSecrets(masterKey: string): Secrets {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `tollgate ${purpose}`, KEY_BYTES))
  const hash = (purpose: string) => {
    const key = derive(purpose)
    return (value: string) => createHmac('sha256', key).update(value).digest('base64url')
  }
  const relayKeys = sealer(derive('relay keys'))
  const channelKeys = sealer(derive('channel keys'))
  return {
    hashRelayKey: hash('relay key lookup'),
    sealRelayKey: relayKeys.seal,
    openRelayKey: relayKeys.open,
    sealChannelKey: channelKeys.seal,
    openChannelKey: channelKeys.open,
    hashSession: hash('session lookup'),
    hashAccessToken: hash('access token lookup'),
    fingerprint: hash('fingerprint')('tollgate'),
  }
}

/** AES-256-GCM; text = base64url(nonce, tag, cipher text). */
function sealer(key: Buffer) {
  return {
    seal: (plain: string) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },
    open: (sealed: string) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const plain = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([plain, decipher.final()]).toString('utf8')
    },
  }
}

function randomText(characters: number): string {
  return Array.from({ length: characters }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** 48 letters and digits, about 285 bits; shown with `sk-` in front. */
export const newRelayKey = () => randomText(RELAY_KEY_CHARACTERS)

export const newSessionId = () => randomBytes(KEY_BYTES).toString('base64url')

/** At least five characters, since the last five are the gift code. */
export const newInviteCode = () => randomText(8)
