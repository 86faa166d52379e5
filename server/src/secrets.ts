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
/** Without look-alikes: 0 and O, 1 and I. */
const TYPED_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const RELAY_KEY_CHARACTERS = 48
const ACCESS_TOKEN_CHARACTERS = 32
const PASSWORD_CHARACTERS = 12
/** 42 bits, so that installations differ. */
const INSTALLATION_CHARACTERS = 7

export type ContentCipher = {
  encrypt: (text: string) => string
  /** Null for a text that was altered, or encrypted for another user or installation. */
  decrypt: (encrypted: string) => string | null
  /** Whether a text names this installation, for any user. */
  isOwn: (encrypted: string) => boolean
}

export type Secrets = {
  /** The hash by which a relay key is found in the database. */
  hashRelayKey: (key: string) => string
  sealRelayKey: (key: string) => string
  openRelayKey: (sealed: string) => string
  sealChannelKey: (key: string) => string
  openChannelKey: (sealed: string) => string
  hashSession: (id: string) => string
  hashAccessToken: (token: string) => string
  /** Hashes the id of a browser that an account has logged in from. */
  hashDevice: (device: string) => string
  /** Hashes mailed codes and values of a login in progress. */
  hashOneTime: (code: string) => string
  hashRecoveryCode: (code: string) => string
  /** Hashes the ticket of a login that waits for its second factor, or of a passkey challenge. */
  hashTicket: (ticket: string) => string
  /** The challenge that a passkey signs; derived from the ticket, so that it is not stored. */
  challengeOf: (ticket: string) => string
  /** Signs links that switch off the reminders of an account. */
  signReminder: (text: string) => string
  sealTotp: (secret: string) => string
  openTotp: (sealed: string) => string
  sealOption: (value: string) => string
  openOption: (sealed: string) => string
  /** Seals codes and links until they are mailed. */
  sealMessage: (text: string) => string
  openMessage: (sealed: string) => string
  /** The key under which an item or response of the Responses API is stored. */
  hashStored: (name: string) => string
  /** Seals for one name: what is sealed for another name, or user, does not open. */
  sealStored: (name: string, text: string) => string
  openStored: (name: string, sealed: string) => string
  /** Encrypts what the clients of one user keep for the gateway. */
  contentCipherFor: (user: number) => ContentCipher
  /** Shows whether a database was written with the same secret key, without revealing the key. */
  fingerprint: string
}

/** Derives one key per purpose (HKDF, RFC 5869), so that no key can be used for another purpose. */
export function deriveSecrets(masterKey: string): Secrets {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `tollgate ${purpose}`, KEY_BYTES))
  const hash = (purpose: string) => {
    const key = derive(purpose)
    return (value: string) => createHmac('sha256', key).update(value).digest('base64url')
  }
  const relayKeys = sealer(derive('relay keys'))
  const channelKeys = sealer(derive('channel keys'))
  const options = sealer(derive('options'))
  const totp = sealer(derive('authenticator apps'))
  const messages = sealer(derive('messages'))
  const sealersOf = (purpose: string) => {
    const key = derive(purpose)
    return (name: string) => sealer(createHmac('sha256', key).update(name).digest())
  }
  const storedFor = sealersOf('stored responses')
  const contentFor = sealersOf('contents of clients')
  const installation = `${hash('installation')('tollgate').slice(0, INSTALLATION_CHARACTERS)}_`
  return {
    hashRelayKey: hash('relay key lookup'),
    sealRelayKey: relayKeys.seal,
    openRelayKey: relayKeys.open,
    sealChannelKey: channelKeys.seal,
    openChannelKey: channelKeys.open,
    hashSession: hash('session lookup'),
    hashAccessToken: hash('access token lookup'),
    hashDevice: hash('devices'),
    hashOneTime: hash('one-time code lookup'),
    hashRecoveryCode: hash('recovery code lookup'),
    hashTicket: hash('sign-in ticket lookup'),
    challengeOf: hash('passkey challenges'),
    signReminder: hash('reminder links'),
    sealTotp: totp.seal,
    openTotp: totp.open,
    sealOption: options.seal,
    openOption: options.open,
    sealMessage: messages.seal,
    openMessage: messages.open,
    hashStored: hash('stored response lookup'),
    sealStored: (name, text) => storedFor(name).seal(text),
    openStored: (name, sealed) => storedFor(name).open(sealed),
    contentCipherFor: (user) => contentCipher(installation, () => contentFor(`${user}`)),
    fingerprint: hash('fingerprint')('tollgate'),
  }
}

/** Texts begin with the installation. The key is derived once a content is met. */
function contentCipher(installation: string, derive: () => Sealer): ContentCipher {
  let known: Sealer | null = null
  const own = () => (known ??= derive())
  const isOwn = (encrypted: string) => encrypted.startsWith(installation)
  return {
    isOwn,
    encrypt: (text) => installation + own().seal(text),
    decrypt: (encrypted) => {
      if (!isOwn(encrypted) || !BASE64URL.test(encrypted)) return null
      try {
        return own().open(encrypted.slice(installation.length))
      } catch {
        return null
      }
    },
  }
}

/** Node ignores other characters. */
const BASE64URL = /^[\w-]+$/

type Sealer = ReturnType<typeof sealer>

/** AES-256-GCM; text = base64url(nonce, tag, ciphertext). */
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

function randomText(characters: number, alphabet = ALPHABET): string {
  return Array.from({ length: characters }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** 48 letters and digits, about 285 bits; shown with the prefix `sk-`. */
export const newRelayKey = () => randomText(RELAY_KEY_CHARACTERS)

/** 190 bits, in the format of older clients. */
export const newAccessToken = () => randomText(ACCESS_TOKEN_CHARACTERS)

/** 32 random bytes in 43 characters. */
export const newSessionId = () => randomBytes(KEY_BYTES).toString('base64url')

/** At least five characters, because the last five are the gift code. */
export const newInviteCode = () => randomText(8)

/** Typed from a mail; five bits per character. */
export const newVerificationCode = (characters: number) => randomText(characters, TYPED_ALPHABET)

/** Ten characters, 50 bits, shown in two halves. */
export function newRecoveryCode(): string {
  const half = () => randomText(5, TYPED_ALPHABET)
  return `${half()}-${half()}`
}

/** 20 bytes, as RFC 4226 recommends. */
export const newTotpSecret = () => randomBytes(20)

/** Identifies an account to authenticators: 32 random bytes in 43 characters. */
export const newUserHandle = () => randomBytes(KEY_BYTES).toString('base64url')

/** 32 random bytes in 43 characters. */
export const newTicket = () => randomBytes(KEY_BYTES).toString('base64url')

/** 32 random bytes in 43 characters. */
export const newResetToken = () => randomBytes(KEY_BYTES).toString('base64url')

/** Replaces a forgotten password; 71 bits. */
export const newPassword = () => randomText(PASSWORD_CHARACTERS)
