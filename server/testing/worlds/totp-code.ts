import { TOTP } from 'otpauth'

export const totpCode = (secret: string, atMs = Date.now()) =>
  new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: atMs })
