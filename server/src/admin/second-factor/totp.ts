import { Secret, TOTP } from 'otpauth'
import { newTotpSecret, type Secrets } from '../../secrets.ts'

/** Supported by every authenticator app. */
const RULES = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** One step before and after is accepted, for clock skew and slow typing. */
const WINDOW = 1

export const TOTP_DIGITS = RULES.digits

type Owner = { userId: number }

/** Sealed with the user id, so that a copied row does not unlock another account. */
export const sealTotp = ({ sealTotp: seal }: Secrets, { userId }: Owner, secret: string) =>
  seal(`${userId} ${secret}`)

/** Null for a secret sealed with another key or for another user. */
function openTotp({ openTotp: open }: Secrets, { userId }: Owner, sealed: string): string | null {
  const [owner, secret = ''] = opened(open, sealed).split(' ')
  return owner === String(userId) && secret !== '' ? secret : null
}

function opened(open: Secrets['openTotp'], sealed: string): string {
  try {
    return open(sealed)
  } catch {
    return ''
  }
}

export type NewTotp = { secret: string; uri: string }

/** The app displays `issuer` and `label`. A colon separates them in the URI, so it is replaced. */
export function newTotp({ issuer, label }: { issuer: string; label: string }): NewTotp {
  const secret = new Secret({ buffer: new Uint8Array(newTotpSecret()).buffer })
  const totp = new TOTP({
    ...RULES,
    issuer: withoutColons(issuer),
    label: withoutColons(label),
    secret,
  })
  return { secret: secret.base32, uri: totp.toString() }
}

const withoutColons = (name: string) => name.replaceAll(':', ' ').trim()

/** The time step of a valid code; null for a wrong code. */
export function stepOf(
  secrets: Secrets,
  { userId, sealed, code, now }: Owner & { sealed: string; code: string; now: number },
): number | null {
  const secret = sealed === '' ? null : openTotp(secrets, { userId }, sealed)
  if (secret === null) return null
  const totp = new TOTP({ ...RULES, secret })
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? null : TOTP.counter({ period: RULES.period, timestamp: now }) + delta
}
