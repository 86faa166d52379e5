import { z } from 'zod'
import { IDENTITY_WAYS, line, option } from './option-row.ts'
import { rule } from './problem.ts'
import {
  baseAddress,
  isDiscoveryAddress,
  publicAddress,
  publicRequestAddress,
  requestAddress,
} from './web-address.ts'

/** Secrets are sent in headers and forms, so they must not contain line breaks. */
const secretLine = line

const domains = z
  .string()
  .max(5000)
  .transform((text) => {
    const names = text.split(',').map((name) => name.trim().toLowerCase().replace(/^@/, ''))
    return [...new Set(names.filter((name) => name !== ''))].join(',')
  })
  .refine(
    (text) =>
      text === '' || text.split(',').every((name) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name)),
    rule('must be domain names with commas between', '必须是以逗号分隔的域名'),
  )

const EMAIL_DOMAINS =
  'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com'

/** An address, or a name with an address in angle brackets. */
const sender = line.refine(
  (text) =>
    text === '' || /^[^\s@<>]+@[^\s@<>]+$/.test(text) || /^[^<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(text),
  rule('must be an e-mail address', '必须是邮箱地址'),
)

/** A host name or an IP address. An IPv6 address such as `::1` may have a zone. */
const hostName = line.refine(
  (text) =>
    text === '' || isIpv6(text.split('%')[0]) || /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u.test(text),
  rule(
    'must be the name or the address of a server, without http:// and port',
    '必须是服务器的域名或 IP 地址，不含 http:// 和端口',
  ),
)

/** An issuer, or a complete discovery URL, which may have a query. */
const discoveryAddress = publicRequestAddress.refine(
  (url) => !url.includes('?') || isDiscoveryAddress(url),
  rule(
    'must have no query ("?") unless its path has /.well-known/',
    '除非路径包含 /.well-known/，否则不能包含查询参数（“?”）',
  ),
)

const isIpv6 = (text: unknown) => z.ipv6().safeParse(text).success

export const SYSTEM_OPTIONS = {
  PasswordLoginEnabled: option(z.boolean(), true, 'system', {
    en: 'Allow login by password',
    zh: '允许通过密码登录',
  }),
  SecondFactorRequired: option(z.boolean(), false, 'system', {
    en: 'Administrators need a second factor',
    zh: '管理员必须启用两步验证',
  }),
  RegisterEnabled: option(
    z.boolean(),
    true,
    'system',
    { en: 'Allow new users to register', zh: '允许新用户注册' },
    { public: 'register_enabled' },
  ),
  PasswordRegisterEnabled: option(
    z.boolean(),
    true,
    'system',
    { en: 'Allow registration by password', zh: '允许通过密码注册' },
    { public: 'password_register_enabled' },
  ),
  EmailVerificationEnabled: option(
    z.boolean(),
    false,
    'system',
    { en: 'Registration needs a verified e-mail address', zh: '注册时需要验证邮箱' },
    { public: 'email_verification', needs: [['SMTPServer']] },
  ),
  EmailDomainRestrictionEnabled: option(
    z.boolean(),
    false,
    'system',
    { en: 'Only e-mail addresses of listed domains', zh: '启用邮箱域名白名单' },
    { needs: [['EmailDomainWhitelist']] },
  ),
  EmailAliasRestrictionEnabled: option(z.boolean(), false, 'system', {
    en: 'One account per mailbox: aliases of Gmail, Outlook and others count as one address',
    zh: '一个邮箱只能注册一个账户（Gmail、Outlook 等的别名视为同一地址）',
  }),
  EmailDomainWhitelist: option(domains, EMAIL_DOMAINS, 'system', {
    en: 'Allowed e-mail domains',
    zh: '允许的邮箱域名',
  }),
  SMTPServer: option(
    hostName,
    '',
    'system',
    { en: 'SMTP server', zh: 'SMTP 服务器地址' },
    { identity: ['reset_mail'], connectsTo: true },
  ),
  SMTPPort: option(
    z.int().min(1).max(65_535),
    587,
    'system',
    { en: 'SMTP port', zh: 'SMTP 端口' },
    { identity: ['reset_mail'] },
  ),
  SMTPAccount: option(
    line,
    '',
    'system',
    { en: 'SMTP account', zh: 'SMTP 账户' },
    { identity: ['reset_mail'] },
  ),
  SMTPFrom: option(
    sender,
    '',
    'system',
    { en: 'Sender of mails', zh: 'SMTP 发送者邮箱' },
    { identity: ['reset_mail'] },
  ),
  SMTPToken: option(
    secretLine,
    '',
    'system',
    { en: 'SMTP password or token', zh: 'SMTP 访问凭证' },
    { secret: true, sentTo: ['SMTPServer'], identity: ['reset_mail'] },
  ),
  GitHubOAuthEnabled: option(
    z.boolean(),
    false,
    'system',
    { en: 'Allow login and registration by GitHub', zh: '允许通过 GitHub 账户登录和注册' },
    {
      public: 'github_oauth',
      needs: [['GitHubClientId', 'GitHubClientSecret']],
      identity: ['github'],
    },
  ),
  GitHubClientId: option(
    line,
    '',
    'system',
    { en: 'GitHub client id', zh: 'GitHub Client ID' },
    { public: 'github_client_id', identity: ['github'] },
  ),
  GitHubClientSecret: option(
    secretLine,
    '',
    'system',
    { en: 'GitHub client secret', zh: 'GitHub Client Secret' },
    { secret: true, identity: ['github'] },
  ),
  OidcEnabled: option(
    z.boolean(),
    false,
    'system',
    { en: 'Allow login and registration by OIDC', zh: '允许通过 OIDC 登录和注册' },
    {
      public: 'oidc',
      needs: [
        ['OidcClientId', 'OidcClientSecret', 'OidcWellKnown'],
        [
          'OidcClientId',
          'OidcClientSecret',
          'OidcAuthorizationEndpoint',
          'OidcTokenEndpoint',
          'OidcUserinfoEndpoint',
        ],
      ],
      identity: ['oidc'],
    },
  ),
  OidcClientId: option(
    line,
    '',
    'system',
    { en: 'OIDC client id', zh: 'OIDC Client ID' },
    { public: 'oidc_client_id', identity: ['oidc'] },
  ),
  OidcClientSecret: option(
    secretLine,
    '',
    'system',
    { en: 'OIDC client secret', zh: 'OIDC Client Secret' },
    {
      secret: true,
      sentTo: ['OidcWellKnown', 'OidcTokenEndpoint', 'OidcUserinfoEndpoint'],
      identity: ['oidc'],
    },
  ),
  OidcWellKnown: option(
    discoveryAddress,
    '',
    'system',
    { en: 'OIDC discovery address', zh: 'OIDC Well-Known 地址' },
    { public: 'oidc_well_known', identity: ['oidc'], connectsTo: true },
  ),
  OidcAuthorizationEndpoint: option(
    publicRequestAddress,
    '',
    'system',
    { en: 'OIDC authorization endpoint', zh: 'OIDC 授权地址' },
    { public: 'oidc_authorization_endpoint', identity: ['oidc'] },
  ),
  OidcTokenEndpoint: option(
    publicRequestAddress,
    '',
    'system',
    { en: 'OIDC token endpoint', zh: 'OIDC 令牌地址' },
    { public: 'oidc_token_endpoint', identity: ['oidc'], connectsTo: true },
  ),
  OidcUserinfoEndpoint: option(
    publicRequestAddress,
    '',
    'system',
    { en: 'OIDC user info endpoint', zh: 'OIDC 用户信息地址' },
    { public: 'oidc_userinfo_endpoint', identity: ['oidc'], connectsTo: true },
  ),
  /** Lark has no separate switch: it is offered while both options are set. */
  LarkClientId: option(
    line,
    '',
    'system',
    { en: 'Lark app id', zh: '飞书 App ID' },
    { public: 'lark_client_id', identity: ['lark'] },
  ),
  LarkClientSecret: option(
    secretLine,
    '',
    'system',
    { en: 'Lark app secret', zh: '飞书 App Secret' },
    { secret: true, identity: ['lark'] },
  ),
  WeChatAuthEnabled: option(
    z.boolean(),
    false,
    'system',
    { en: 'Allow login and registration by WeChat', zh: '允许通过微信登录和注册' },
    { public: 'wechat_login', needs: [['WeChatServerAddress']], identity: ['wechat'] },
  ),
  WeChatServerAddress: option(
    baseAddress,
    '',
    'system',
    {
      en: 'WeChat server address',
      zh: '微信服务器地址',
    },
    { identity: ['wechat'], connectsTo: true },
  ),
  WeChatServerToken: option(
    secretLine,
    '',
    'system',
    { en: 'WeChat server token', zh: '微信服务器访问凭证' },
    { secret: true, sentTo: ['WeChatServerAddress'], identity: ['wechat'] },
  ),
  WeChatAccountQRCodeImageURL: option(
    publicAddress,
    '',
    'system',
    { en: 'QR code of the WeChat account', zh: '微信公众号二维码图片链接' },
    { public: 'wechat_qrcode', identity: ['wechat'] },
  ),
  MessagePusherAddress: option(
    requestAddress,
    '',
    'system',
    { en: 'Message pusher address', zh: '消息推送服务地址' },
    { connectsTo: true },
  ),
  MessagePusherToken: option(
    secretLine,
    '',
    'system',
    { en: 'Message pusher token', zh: '消息推送访问凭证' },
    { secret: true, sentTo: ['MessagePusherAddress'] },
  ),
  TurnstileCheckEnabled: option(
    z.boolean(),
    false,
    'system',
    { en: 'Human check by Turnstile', zh: '启用 Turnstile 用户校验' },
    {
      public: 'turnstile_check',
      needs: [['TurnstileSiteKey', 'TurnstileSecretKey']],
      identity: ['reset_mail'],
    },
  ),
  TurnstileSiteKey: option(
    line,
    '',
    'system',
    { en: 'Turnstile site key', zh: 'Turnstile Site Key' },
    { public: 'turnstile_site_key', identity: ['reset_mail'] },
  ),
  TurnstileSecretKey: option(
    secretLine,
    '',
    'system',
    { en: 'Turnstile secret key', zh: 'Turnstile Secret Key' },
    { secret: true, identity: ['reset_mail'] },
  ),
  ChannelPrivateNetworksEnabled: option(z.boolean(), true, 'system', {
    en: 'Allow addresses in private networks',
    zh: '允许连接内网地址',
  }),
  ServerAddress: option(
    baseAddress,
    '',
    'system',
    { en: 'Server address', zh: '服务器地址' },
    { public: 'server_address', identity: IDENTITY_WAYS },
  ),
  ConsoleAddress: option(
    baseAddress,
    '',
    'system',
    { en: 'Console address, on a host of its own', zh: '控制台地址（使用独立域名）' },
    { public: 'console_address', needs: [['ServerAddress']], identity: IDENTITY_WAYS },
  ),
  GlobalApiRateLimit: option(z.int().min(0).max(1_000_000), 480, 'system', {
    en: 'API calls per account or IP address in three minutes (0 = no limit)',
    zh: '每个账户或 IP 三分钟内的 API 请求上限（0 表示不限）',
  }),
} as const
