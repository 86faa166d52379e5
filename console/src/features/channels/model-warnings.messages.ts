import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const modelWarningMessages = messages({
  en: {
    unpriced_one:
      '{{number}} model has no price: {{names}}. It is billed at the default ratio, or rejected without one. Set a price in the settings before you sell it.',
    unpriced_other:
      '{{number}} models have no price: {{names}}. They are billed at the default ratio, or rejected without one. Set prices in the settings before you sell them.',
    shut_one:
      'The vendor has shut down {{number}} chosen model: {{names}}. Remove it unless this provider still serves it.',
    shut_other:
      'The vendors have shut down {{number}} chosen models: {{names}}. Remove them unless this provider still serves them.',
  },
  zh: {
    unpriced_one:
      '{{number}} 个模型没有定价：{{names}}。它将按默认倍率计费，未设默认倍率时会被拒绝；出售前请先在设置中定价。',
    unpriced_other:
      '{{number}} 个模型没有定价：{{names}}。它们将按默认倍率计费，未设默认倍率时会被拒绝；出售前请先在设置中定价。',
    shut_one:
      '所选模型中有 {{number}} 个已被厂商下线：{{names}}。除非该服务商仍在提供，否则请移除。',
    shut_other:
      '所选模型中有 {{number}} 个已被厂商下线：{{names}}。除非该服务商仍在提供，否则请移除。',
  },
})

addTexts('modelWarning', modelWarningMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    modelWarning: typeof modelWarningMessages.en
  }
}
