import type { CreditKind } from '@tollgate/contract'
import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

type CreditTexts = Record<CreditKind, string>

const creditMessages = messages({
  en: {
    code: 'Redeemed code',
    topup: 'Top-up',
    gift: 'Gift code bonus',
    invitation: 'Invitation bonus',
    welcome: 'Welcome credit',
    import: 'Transferred balance',
    adjustment: 'Adjustment',
  } satisfies CreditTexts,
  zh: {
    code: '兑换码',
    topup: '充值',
    gift: '礼品码赠送',
    invitation: '邀请奖励',
    welcome: '新用户赠送',
    import: '迁入余额',
    adjustment: '调整',
  } satisfies CreditTexts,
})

addTexts('creditKind', creditMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    creditKind: typeof creditMessages.en
  }
}
