import type { ErrorRow } from './error-row.ts'

export const SIGN_IN_ERRORS = {
  wrong_credentials: {
    status: 200,
    en: 'Wrong username or password, or the account is banned.',
    zh: '用户名或密码错误，或用户已被封禁。',
  },
  default_password_from_afar: {
    status: 200,
    en: 'The super administrator still has the default password, which everybody knows, and can log in only from this machine or a private network. Change the password there, or allow your network with DEFAULT_PASSWORD_NETWORKS.',
    zh: '超级管理员仍在使用人尽皆知的初始密码，只能从本机或内网登录。请先在本机或内网修改密码，或通过环境变量 DEFAULT_PASSWORD_NETWORKS 放行你的网段。',
  },
  password_login_disabled: {
    status: 200,
    en: 'The administrator has turned off password login.',
    zh: '管理员关闭了密码登录。',
  },
  account_banned: { status: 200, en: 'This account is banned.', zh: '用户已被封禁。' },
  username_taken: {
    status: 200,
    field: 'username',
    en: 'The username "{username}" is taken.',
    zh: '用户名“{username}”已被占用。',
  },
  username_confusing: {
    status: 200,
    field: 'username',
    en: 'The username "{username}" looks too much like another name. Use the letters of one alphabet, and no @.',
    zh: '用户名“{username}”容易与其他用户名混淆，请只使用同一种文字，且不要包含 @。',
  },
  registration_disabled: {
    status: 200,
    en: 'The administrator has turned off registration.',
    zh: '管理员关闭了新用户注册。',
  },
  password_registration_disabled: {
    status: 200,
    en: 'Registration by password is turned off. Use one of the other ways to log in.',
    zh: '管理员关闭了通过密码注册，请使用第三方账户登录。',
  },
  email_taken: {
    status: 200,
    field: 'email',
    en: 'This email address belongs to another account.',
    zh: '该邮箱地址已被其他账户使用。',
  },
  email_domain_refused: {
    status: 200,
    field: 'email',
    en: 'Only addresses of these domains are accepted: {domains}.',
    zh: '仅接受以下域名的邮箱：{domains}。',
  },
  verification_code_wrong: {
    status: 200,
    en: 'The verification code is wrong or has expired.',
    zh: '验证码错误或已过期。',
  },
  reset_link_invalid: {
    status: 200,
    en: 'The reset link is not valid or has expired.',
    zh: '重置链接无效或已过期。',
  },
  human_check_missing: {
    status: 200,
    en: 'Please retry in a few seconds, Turnstile is checking the user environment.',
    zh: '请几秒后重试，Turnstile 正在检查用户环境。',
  },
  human_check_failed: {
    status: 200,
    en: 'The Turnstile check failed. Reload the page and try again.',
    zh: 'Turnstile 校验失败，请刷新页面后重试。',
  },
  human_check_unavailable: {
    status: 200,
    en: 'Turnstile cannot be reached at the moment. Try again in a minute.',
    zh: 'Turnstile 暂时无法访问，请稍后重试。',
  },
  oauth_state_invalid: {
    status: 403,
    en: 'state is empty or not same',
    zh: 'state 参数为空或不一致，请重新发起登录。',
  },
  sign_in_way_disabled: {
    status: 200,
    en: 'The administrator has not enabled logging in with {provider}.',
    zh: '管理员未开启该登录方式（{provider}）。',
  },
  identity_server_failed: {
    status: 200,
    en: '{provider} did not confirm the login: {reason}',
    zh: '登录验证失败（{provider}）：{reason}',
  },
  identity_taken: {
    status: 200,
    en: 'This {provider} account is bound to another user.',
    zh: '该第三方账户（{provider}）已被其他用户绑定。',
  },
  identity_unconfirmed: {
    status: 200,
    en: 'The super administrator has to confirm a change of {options} first. Until then, administrators log in with their password.',
    zh: '{options}已被修改，需先由超级管理员确认。在此之前，管理员请使用密码登录。',
  },
  root_signs_in_by_password: {
    status: 200,
    en: 'For safety, the super administrator logs in with a password or passkey only.',
    zh: '超级管理员只能通过密码或通行密钥登录。',
  },
} as const satisfies Record<string, ErrorRow>
