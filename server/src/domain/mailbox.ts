/*
 * Several addresses can lead to one mailbox. What each provider ignores stands in its help pages:
 * Gmail dots and +tag; Outlook, iCloud, Fastmail, Zoho and Yandex +tag; Proton dots, hyphens,
 * underscores and +tag; Yahoo what follows a hyphen.
 */
type Rule = {
  /** The domain that stands for all domains of the provider with the same mailboxes. */
  readonly domain: string
  readonly ignored?: RegExp
  readonly tag: RegExp
}

const PLUS = /\+.*$/

const RULES: readonly { domains: readonly string[]; tag?: RegExp; ignored?: RegExp }[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: /\./g },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: /[._-]/g },
  { domains: ['yandex.com', 'yandex.ru', 'ya.ru', 'yandex.by', 'yandex.kz'], ignored: /[.-]/g },
  ...['yahoo.com', 'ymail.com', 'rocketmail.com', 'yahoo.co.jp', 'yahoo.co.uk'].map((domain) => ({
    domains: [domain],
    tag: /-.*$/,
  })),
  ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com'].map((domain) => ({ domains: [domain] })),
  ...['fastmail.com', 'fastmail.fm', 'zoho.com'].map((domain) => ({ domains: [domain] })),
]

const BY_DOMAIN = new Map(
  RULES.flatMap(({ domains, tag = PLUS, ignored }) => {
    const [domain = ''] = domains
    const rule: Rule = { domain, tag, ...(ignored && { ignored }) }
    return domains.map((each) => [each, rule] as const)
  }),
)

/** One name for all addresses of a mailbox, where the provider is known; else the address itself. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const rule = BY_DOMAIN.get(email.slice(at + 1))
  if (rule === undefined) return email
  const untagged = email.slice(0, at).replace(rule.tag, '')
  const local = rule.ignored === undefined ? untagged : untagged.replace(rule.ignored, '')
  return `${local}@${rule.domain}`
}
