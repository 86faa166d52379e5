import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { seconds } from './units.ts'

export const statusSchema = z.object({
  version: z.string(),
  start_time: seconds,
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  chat_link: z.string(),
  top_up_link: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  home_page_content: z.string(),
  notice: z.string(),
})

export type Status = z.output<typeof statusSchema>

export const statusEndpoints = {
  getStatus: endpoint('GET', '/api/status', 'public', { data: statusSchema }),
} as const
