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
  rule('must be an email address', '必须是邮箱地址'),
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

const telegramToken = secretLine.refine(
  (token) => token === '' || /^\d{1,20}:[\w-]{1,100}$/.test(token),
  rule(
    'must be digits, a colon and the letters that BotFather gave',
    '必须是 BotFather 提供的 Token：数字、冒号和一串字符',
  ),
)

export const SYSTEM_OPTIONS = {
  ServerAddress: option(baseAddress, '', 'address', {
    label: { en: 'Server address', zh: '服务器地址' },
    hint: {
      en: 'The address users open, such as https://gateway.example. Emails and callbacks use it. Once it is set, login works only at this address, at localhost and at IP addresses.',
      zh: '用户访问的地址，例如 https://gateway.example，也用于邮件和回调。设置后只能通过该地址、localhost 或 IP 地址登录。',
    },
    public: 'server_address',
    identity: IDENTITY_WAYS,
  }),
  GlobalApiRateLimit: option(z.int().min(0).max(1_000_000), 480, 'address', {
    label: {
      en: 'Console API requests per account or IP in 3 minutes (0 = unlimited)',
      zh: '每个账户或 IP 三分钟内的控制台 API 请求上限（0 表示不限）',
    },
  }),
  // Last in its section: once the console moves to another host, the page can no longer save.
  ConsoleAddress: option(baseAddress, '', 'address', {
    label: { en: 'Console address (separate host)', zh: '控制台地址（使用独立域名）' },
    hint: {
      en: 'Once saved, the console is served only at this address and at localhost. Set up DNS and the proxy first. A change by anyone but the super administrator takes effect once the super administrator confirms it.',
      zh: '保存后控制台只在该地址和 localhost 提供，请先配置好域名解析和反向代理。其他管理员的修改须经超级管理员确认后才会生效。',
    },
    public: 'console_address',
    needs: [['ServerAddress']],
    identity: IDENTITY_WAYS,
  }),
  ChannelPrivateNetworksEnabled: option(z.boolean(), true, 'outgoing', {
    label: { en: 'Allow addresses in private networks', zh: '允许连接内网地址' },
    hint: {
      en: 'If off, channels, their proxies, and the mail, OIDC, WeChat and message pusher servers cannot use loopback or private addresses, except those listed in UPSTREAM_PRIVATE_NETWORKS. Running requests are not interrupted.',
      zh: '关闭后，渠道及其代理服务器、邮件、OIDC、微信和消息推送服务器均不能使用回环或内网地址，UPSTREAM_PRIVATE_NETWORKS 中列出的除外。正在进行的请求不受影响。',
    },
  }),
  PasswordLoginEnabled: option(z.boolean(), true, 'login', {
    label: { en: 'Allow password login', zh: '允许通过密码登录' },
  }),
  SecondFactorRequired: option(z.boolean(), false, 'login', {
    label: { en: 'Require two-step verification for administrators', zh: '管理员必须启用两步验证' },
    hint: {
      en: 'Administrators without it can only set it up after login. Set up your own first.',
      zh: '未启用的管理员登录后只能先完成设置。请先为自己启用。',
    },
  }),
  RegisterEnabled: option(z.boolean(), true, 'login', {
    label: { en: 'Allow registration', zh: '允许新用户注册' },
    public: 'register_enabled',
  }),
  PasswordRegisterEnabled: option(z.boolean(), true, 'login', {
    label: { en: 'Allow registration with a password', zh: '允许通过密码注册' },
    public: 'password_register_enabled',
  }),
  EmailVerificationEnabled: option(z.boolean(), false, 'login', {
    label: { en: 'Require a verified email address to register', zh: '注册时需要验证邮箱' },
    public: 'email_verification',
    needs: [['SMTPServer']],
  }),
  EmailDomainRestrictionEnabled: option(z.boolean(), false, 'domains', {
    label: { en: 'Allow only listed email domains', zh: '启用邮箱域名白名单' },
    needs: [['EmailDomainWhitelist']],
  }),
  EmailAliasRestrictionEnabled: option(z.boolean(), false, 'domains', {
    label: {
      en: 'One account per mailbox (aliases of Gmail, Outlook and others count as one address)',
      zh: '一个邮箱只能注册一个账户（Gmail、Outlook 等的别名视为同一地址）',
    },
  }),
  EmailDomainWhitelist: option(domains, EMAIL_DOMAINS, 'domains', {
    label: { en: 'Allowed email domains', zh: '允许的邮箱域名' },
    hint: { en: 'Press Enter to add a domain.', zh: '按 Enter 添加域名。' },
    editor: 'domains',
  }),
  SMTPServer: option(hostName, '', 'smtp', {
    label: { en: 'SMTP server', zh: 'SMTP 服务器地址' },
    identity: ['reset_mail'],
    connectsTo: true,
  }),
  SMTPPort: option(z.int().min(1).max(65_535), 587, 'smtp', {
    label: { en: 'SMTP port', zh: 'SMTP 端口' },
    hint: { en: 'Usually 587.', zh: '默认为 587。' },
    editor: 'port',
    identity: ['reset_mail'],
  }),
  SMTPAccount: option(line, '', 'smtp', {
    label: { en: 'SMTP account', zh: 'SMTP 账户' },
    identity: ['reset_mail'],
  }),
  SMTPFrom: option(sender, '', 'smtp', {
    label: { en: 'Sender address', zh: 'SMTP 发送者邮箱' },
    hint: { en: 'Leave empty to use the SMTP account.', zh: '留空则使用 SMTP 账户。' },
    identity: ['reset_mail'],
  }),
  SMTPToken: option(secretLine, '', 'smtp', {
    label: { en: 'SMTP password or token', zh: 'SMTP 访问凭证' },
    secret: true,
    sentTo: ['SMTPServer'],
    identity: ['reset_mail'],
  }),
  GitHubOAuthEnabled: option(z.boolean(), false, 'github', {
    label: { en: 'Allow login and registration with GitHub', zh: '允许通过 GitHub 账户登录和注册' },
    public: 'github_oauth',
    needs: [['GitHubClientId', 'GitHubClientSecret']],
    identity: ['github'],
  }),
  GitHubClientId: option(line, '', 'github', {
    label: { en: 'GitHub client ID', zh: 'GitHub Client ID' },
    public: 'github_client_id',
    identity: ['github'],
  }),
  GitHubClientSecret: option(secretLine, '', 'github', {
    label: { en: 'GitHub client secret', zh: 'GitHub Client Secret' },
    secret: true,
    identity: ['github'],
  }),
  OidcEnabled: option(z.boolean(), false, 'oidc', {
    label: { en: 'Allow login and registration with OIDC', zh: '允许通过 OIDC 登录和注册' },
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
  }),
  OidcClientId: option(line, '', 'oidc', {
    label: { en: 'OIDC client ID', zh: 'OIDC Client ID' },
    public: 'oidc_client_id',
    identity: ['oidc'],
  }),
  OidcClientSecret: option(secretLine, '', 'oidc', {
    label: { en: 'OIDC client secret', zh: 'OIDC Client Secret' },
    secret: true,
    sentTo: ['OidcWellKnown', 'OidcTokenEndpoint', 'OidcUserinfoEndpoint'],
    identity: ['oidc'],
  }),
  OidcWellKnown: option(discoveryAddress, '', 'oidc', {
    label: { en: 'OIDC discovery address', zh: 'OIDC Well-Known 地址' },
    hint: {
      en: 'Ends with /.well-known/openid-configuration.',
      zh: '以 /.well-known/openid-configuration 结尾。',
    },
    public: 'oidc_well_known',
    identity: ['oidc'],
    connectsTo: true,
  }),
  OidcAuthorizationEndpoint: option(publicRequestAddress, '', 'oidc', {
    label: { en: 'OIDC authorization endpoint', zh: 'OIDC 授权地址' },
    public: 'oidc_authorization_endpoint',
    identity: ['oidc'],
  }),
  OidcTokenEndpoint: option(publicRequestAddress, '', 'oidc', {
    label: { en: 'OIDC token endpoint', zh: 'OIDC 令牌地址' },
    public: 'oidc_token_endpoint',
    identity: ['oidc'],
    connectsTo: true,
  }),
  OidcUserinfoEndpoint: option(publicRequestAddress, '', 'oidc', {
    label: { en: 'OIDC userinfo endpoint', zh: 'OIDC 用户信息地址' },
    public: 'oidc_userinfo_endpoint',
    identity: ['oidc'],
    connectsTo: true,
  }),
  /** Lark has no separate switch: it is offered while both options are set. */
  LarkClientId: option(line, '', 'lark', {
    label: { en: 'Lark app ID', zh: '飞书 App ID' },
    public: 'lark_client_id',
    identity: ['lark'],
  }),
  LarkClientSecret: option(secretLine, '', 'lark', {
    label: { en: 'Lark app secret', zh: '飞书 App Secret' },
    secret: true,
    identity: ['lark'],
  }),
  WeChatAuthEnabled: option(z.boolean(), false, 'wechat', {
    label: { en: 'Allow login and registration with WeChat', zh: '允许通过微信登录和注册' },
    public: 'wechat_login',
    needs: [['WeChatServerAddress']],
    identity: ['wechat'],
  }),
  WeChatServerAddress: option(baseAddress, '', 'wechat', {
    label: { en: 'WeChat server address', zh: '微信服务器地址' },
    hint: {
      en: 'The server that replies to followers of your WeChat account.',
      zh: '响应公众号关注者的服务器。',
    },
    identity: ['wechat'],
    connectsTo: true,
  }),
  WeChatServerToken: option(secretLine, '', 'wechat', {
    label: { en: 'WeChat server token', zh: '微信服务器访问凭证' },
    secret: true,
    sentTo: ['WeChatServerAddress'],
    identity: ['wechat'],
  }),
  WeChatAccountQRCodeImageURL: option(publicAddress, '', 'wechat', {
    label: { en: 'WeChat account QR code (image URL)', zh: '微信公众号二维码图片链接' },
    public: 'wechat_qrcode',
    identity: ['wechat'],
  }),
  MessagePusherAddress: option(requestAddress, '', 'pusher', {
    label: { en: 'Message pusher address', zh: '消息推送服务地址' },
    connectsTo: true,
    tokenInPath: true,
  }),
  MessagePusherToken: option(secretLine, '', 'pusher', {
    label: { en: 'Message pusher token', zh: '消息推送访问凭证' },
    secret: true,
    sentTo: ['MessagePusherAddress'],
  }),
  AlertWebhookAddress: option(requestAddress, '', 'receivers', {
    label: { en: 'Webhook address', zh: 'Webhook 地址' },
    hint: {
      en: 'Gets a POST with JSON: id, created_at, type, subject, text, url.',
      zh: '以 POST 接收 JSON：id、created_at、type、subject、text、url。',
    },
    connectsTo: true,
    tokenInPath: true,
  }),
  AlertWebhookSecret: option(secretLine, '', 'receivers', {
    label: { en: 'Webhook secret', zh: 'Webhook 签名密钥' },
    hint: {
      en: 'Signs x-tollgate-timestamp, a dot and the body with HMAC-SHA256 in x-tollgate-signature.',
      zh: '以 HMAC-SHA256 对“x-tollgate-timestamp.请求体”签名，写入 x-tollgate-signature。',
    },
    secret: true,
    sentTo: ['AlertWebhookAddress'],
  }),
  AlertFeishuAddress: option(requestAddress, '', 'receivers', {
    label: { en: 'Feishu or Lark bot address', zh: '飞书机器人地址' },
    connectsTo: true,
    tokenInPath: true,
  }),
  AlertFeishuSecret: option(secretLine, '', 'receivers', {
    label: { en: 'Feishu or Lark bot secret', zh: '飞书机器人签名密钥' },
    secret: true,
    sentTo: ['AlertFeishuAddress'],
  }),
  AlertTelegramToken: option(telegramToken, '', 'receivers', {
    label: { en: 'Telegram bot token', zh: 'Telegram 机器人 Token' },
    secret: true,
  }),
  AlertTelegramChat: option(line, '', 'receivers', {
    label: { en: 'Telegram chat', zh: 'Telegram 会话' },
    hint: {
      en: 'A chat id, or @ and the name of a channel.',
      zh: '会话 ID，或以 @ 开头的频道名。',
    },
  }),
  TurnstileCheckEnabled: option(z.boolean(), false, 'turnstile', {
    label: { en: 'Require the Turnstile human check', zh: '启用 Turnstile 用户校验' },
    public: 'turnstile_check',
    needs: [['TurnstileSiteKey', 'TurnstileSecretKey']],
    identity: ['reset_mail'],
  }),
  TurnstileSiteKey: option(line, '', 'turnstile', {
    label: { en: 'Turnstile site key', zh: 'Turnstile Site Key' },
    public: 'turnstile_site_key',
    identity: ['reset_mail'],
  }),
  TurnstileSecretKey: option(secretLine, '', 'turnstile', {
    label: { en: 'Turnstile secret key', zh: 'Turnstile Secret Key' },
    secret: true,
    identity: ['reset_mail'],
  }),
} as const
