import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { FIRST_CALLS, withSchemas } from './first-calls.ts'
import { topUpPackages } from './top-up-packages.ts'
import { seconds } from './units.ts'

/** Links the console embeds in a frame; it only navigates to the others. */
export const FRAMED_LINKS = ['pricing', 'docs', 'cheap'] as const

/** `version`, `start_time`, and one field per public option. */
export const statusSchema = z.object({
  version: z.string(),
  start_time: seconds,
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  theme: z.string(),
  server_address: z.string(),
  /** Address of the console if it has a host of its own. */
  console_address: z.string(),
  chat_link: z.string(),
  top_up_link: z.string(),
  public_catalog: z.boolean(),
  public_status: z.boolean(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  /** IANA name of the zone of days; empty if the operator has not set one. */
  time_zone: z.string(),
  home_page_content: z.string(),
  notice: z.string(),
  links: z.record(z.string(), z.string()),
  top_up_packages: topUpPackages,
  release_address: z.string(),
  register_enabled: z.boolean(),
  password_register_enabled: z.boolean(),
  email_verification: z.boolean(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  oidc: z.boolean(),
  oidc_client_id: z.string(),
  oidc_well_known: z.string(),
  oidc_authorization_endpoint: z.string(),
  oidc_token_endpoint: z.string(),
  oidc_userinfo_endpoint: z.string(),
  lark_client_id: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
})

export type Status = z.output<typeof statusSchema>

export const statusEndpoints = {
  getStatus: withSchemas(FIRST_CALLS.getStatus, { data: statusSchema }),
  /** Option texts: Markdown, HTML, or a single address to embed. */
  getNotice: endpoint('GET', '/api/notice', 'public', { data: z.string() }),
  getAbout: endpoint('GET', '/api/about', 'public', { data: z.string() }),
  getHomePageContent: endpoint('GET', '/api/home_page_content', 'public', { data: z.string() }),
  getTerms: endpoint('GET', '/api/terms', 'public', { data: z.string() }),
} as const
