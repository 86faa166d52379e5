import { newSessionId, type Secrets } from '../../secrets.ts'

type Account = { id: number; password_hash: string }

/**
 * What a browser keeps that an account was signed in with: who sends it is not locked out by what strangers try. It
 * opens nothing, names nobody, and is good for one account until its password changes.
 */
export const newDevice = (secrets: Secrets, account: Account) =>
  signed(secrets, newSessionId(), account)

export function isDeviceOf(secrets: Secrets, device: string, account: Account): boolean {
  const [id = ''] = device.split('.')
  return signed(secrets, id, account) === device
}

const signed = ({ hashDevice }: Secrets, deviceId: string, { id, password_hash }: Account) =>
  `${deviceId}.${hashDevice(`${deviceId}\n${id}\n${password_hash}`)}`
