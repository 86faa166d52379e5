import { useTranslation } from '../i18n/use-translation.ts'
import { formatNumber } from '../lib/format.ts'
import { useMoney } from '../lib/status.ts'
import { isUnlimited } from '../lib/unlimited.ts'
import { Money } from './money.tsx'

/** The balance of an account, or that it has no end. */
export function AccountBalance({ account }: { account: { role: number; quota: number } }) {
  const { t } = useTranslation()
  const settings = useMoney()
  if (!isUnlimited(account)) return <Money quota={account.quota} settings={settings} />
  return <span title={formatNumber(account.quota)}>{t('common.state.unlimited')}</span>
}
