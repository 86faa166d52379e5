import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

/** Pages with margins import these texts. */
const marginMessages = messages({
  en: {
    label: 'Margin',
    days: 'Margin (30 days)',
    amount: '{{amount}} ({{percent}} %)',
    of: 'Charged {{charge}}, cost {{cost}}. The cost is known for {{known}} % of the charges.',
  },
  zh: {
    label: '毛利',
    days: '毛利（30 天）',
    amount: '{{amount}}（{{percent}} %）',
    of: '收费 {{charge}}，成本 {{cost}}。收费中有 {{known}} % 的成本已知。',
  },
})

addTexts('margin', marginMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    margin: typeof marginMessages.en
  }
}
