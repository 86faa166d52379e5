/*
 * Several addresses can deliver to one mailbox. According to the providers' help pages, Gmail
 * ignores dots and +tag; Outlook, iCloud, Fastmail, Zoho and Yandex +tag; Proton dots, hyphens,
 * underscores and +tag; Yahoo everything after a hyphen.
 */
type Rule = {
  /** Represents all domains of the provider that share mailboxes. */
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

/** The canonical address of a mailbox at a known provider; otherwise the address itself. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const rule = BY_DOMAIN.get(email.slice(at + 1))
  if (rule === undefined) return email
  const untagged = email.slice(0, at).replace(rule.tag, '')
  const local = rule.ignored === undefined ? untagged : untagged.replace(rule.ignored, '')
  return `${local}@${rule.domain}`
}
