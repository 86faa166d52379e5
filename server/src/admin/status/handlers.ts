import type { statusEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'

export function statusHandlers({
  settings,
  version,
  startedAt,
}: AdminDeps): Handlers<typeof statusEndpoints> {
  return {
    getStatus: async () => {
      const options = settings.current()
      return {
        data: {
          version,
          start_time: startedAt,
          system_name: options.SystemName,
          logo: options.Logo,
          footer_html: options.Footer,
          server_address: options.ServerAddress,
          chat_link: options.ChatLink,
          top_up_link: options.TopUpLink,
          quota_per_unit: options.QuotaPerUnit,
          display_in_currency: options.DisplayInCurrencyEnabled,
          home_page_content: options.HomePageContent,
          notice: options.Notice,
        },
      }
    },
  }
}
