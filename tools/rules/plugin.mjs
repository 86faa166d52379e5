import { chineseOnlyInMessages } from './chinese-only-in-messages.mjs'
import { explainedCast } from './explained-cast.mjs'
import { layers } from './layers-rule.mjs'
import { prose } from './prose-rule.mjs'
import { quotaOnlyInLedger } from './quota-only-in-ledger.mjs'

export default {
  meta: { name: 'tollgate' },
  rules: {
    layers,
    prose,
    'explained-cast': explainedCast,
    'quota-only-in-ledger': quotaOnlyInLedger,
    'chinese-only-in-messages': chineseOnlyInMessages,
  },
}
