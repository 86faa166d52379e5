import type { ErrorRow } from './error-row.ts'

export const SECOND_FACTOR_ERRORS = {
  confirmation_needed: {
    status: 200,
    en: 'Confirm your identity first. Logging in again also confirms it.',
    zh: '此操作需要先验证身份，也可以重新登录后再试。',
  },
  confirmation_by_sign_in: {
    status: 200,
    en: 'Log out and log in again first. A login confirms your identity for 10 minutes.',
    zh: '请先退出登录，再重新登录，登录后 10 分钟内可进行此操作。',
  },
  confirmation_way_unavailable: {
    status: 200,
    en: 'This account cannot be confirmed that way.',
    zh: '该账户不能使用此方式验证身份。',
  },
  wrong_password: { status: 200, en: 'The password is wrong.', zh: '密码错误。' },
  session_needed: {
    status: 200,
    en: 'Access tokens cannot do this. Log in with a browser.',
    zh: '访问令牌不能进行此操作，请在浏览器中登录。',
  },
  second_factor_needed: {
    status: 200,
    en: 'The server requires a second factor for administrators. Set one up in your account settings first.',
    zh: '系统要求管理员启用两步验证，请先在个人设置中启用。',
  },
  own_second_factor_first: {
    status: 200,
    en: 'Set up a second factor for your own account before you require one for all administrators.',
    zh: '请先为自己的账户启用两步验证，再要求所有管理员启用。',
  },
  last_second_factor: {
    status: 200,
    en: 'The server requires a second factor for administrators. Add another before you remove this one.',
    zh: '系统要求管理员启用两步验证，请先添加另一种方式，再移除此项。',
  },
  sign_in_expired: {
    status: 200,
    en: 'This login has expired or was used. Start again.',
    zh: '本次登录已过期或已使用，请重新登录。',
  },
  code_wrong: {
    status: 200,
    en: 'The code is wrong, has expired or was used before.',
    zh: '验证码错误、已过期或已被使用。',
  },
  totp_not_begun: {
    status: 200,
    en: 'Start setting up the authenticator app first. A new secret is valid for 30 minutes.',
    zh: '请先获取新的密钥，密钥 30 分钟内有效。',
  },
  totp_not_enabled: {
    status: 200,
    en: 'This account has no authenticator app.',
    zh: '该账户未启用验证器应用。',
  },
  recovery_codes_unneeded: {
    status: 200,
    en: 'Recovery codes need an authenticator app or a passkey. Set one up first.',
    zh: '请先启用验证器应用或通行密钥，再生成恢复代码。',
  },
  passkey_refused: {
    status: 200,
    en: 'The passkey was not accepted. Try again.',
    zh: '通行密钥验证失败，请重试。',
  },
  passkey_expired: {
    status: 200,
    en: 'This took too long, or was sent twice. Try again.',
    zh: '操作超时或重复提交，请重试。',
  },
  passkey_host: {
    status: 200,
    en: 'Passkeys need a host name instead of an IP address. Open the console by its name.',
    zh: '通行密钥不支持 IP 地址，请使用域名访问控制台。',
  },
  passkey_elsewhere: {
    status: 200,
    en: 'Passkeys work at {address} only. Open the console there.',
    zh: '通行密钥仅可在 {address} 使用，请通过该地址访问控制台。',
  },
  no_factor_here: {
    status: 200,
    en: 'Your passkeys were made for {hosts} and do not work at this address. Use them there, or ask an administrator to reset your second factors if the console no longer opens there.',
    zh: '你的通行密钥是为 {hosts} 创建的，无法在当前地址使用。请通过原地址访问控制台；如果原地址已停用，请联系管理员重置两步验证。',
  },
  passkey_taken: {
    status: 200,
    en: 'This passkey has already been added.',
    zh: '该通行密钥已添加。',
  },
  too_many_passkeys: {
    status: 200,
    en: 'An account can have at most {limit} passkeys. Delete one first.',
    zh: '每个账户最多 {limit} 个通行密钥，请先删除一些。',
  },
  passkey_not_found: { status: 200, en: 'There is no such passkey.', zh: '通行密钥不存在。' },
  session_not_found: { status: 200, en: 'There is no such session.', zh: '会话不存在。' },
} as const satisfies Record<string, ErrorRow>
