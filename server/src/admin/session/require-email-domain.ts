import { AppError, type OptionValues } from '@tollgate/contract'

/** Throws `email_domain_refused` unless the exact domain is listed. Subdomains do not match. */
export function requireEmailDomain(
  {
    EmailDomainRestrictionEnabled,
    EmailDomainWhitelist,
  }: Pick<OptionValues, 'EmailDomainRestrictionEnabled' | 'EmailDomainWhitelist'>,
  email: string,
) {
  if (!EmailDomainRestrictionEnabled) return
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const isListed = EmailDomainWhitelist.split(',').includes(domain)
  if (isListed) return
  throw new AppError('email_domain_refused', {
    domains: EmailDomainWhitelist.replaceAll(',', ', '),
  })
}
