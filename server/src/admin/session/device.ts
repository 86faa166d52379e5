import { newSessionId, type Secrets } from '../../secrets.ts'

type Account = { id: number; password_hash: string }

/**
 * Device token that a browser keeps after logging in. Its holder is not locked out by the failed
 * attempts of strangers. The token grants no access, identifies no user and is valid for one
 * account until its password changes.
 */
export const newDevice = (secrets: Secrets, account: Account) =>
  signed(secrets, newSessionId(), account)

export function isDeviceOf(secrets: Secrets, device: string, account: Account): boolean {
  const [id = ''] = device.split('.')
  return signed(secrets, id, account) === device
}

const signed = ({ hashDevice }: Secrets, deviceId: string, { id, password_hash }: Account) =>
  `${deviceId}.${hashDevice(`${deviceId}\n${id}\n${password_hash}`)}`
