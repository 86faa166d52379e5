import { messages } from '../../i18n/types.ts'

export const topUpMessages = messages({
  en: {
    statements: 'Statements and billing',
    code: {
      title: 'Redeem a code',
      key: 'Top-up code',
      keyError: 'Please enter the top-up code!',
      several: 'Redeem one code at a time.',
      gift: 'Gift code',
      giftHint: 'Optional. A friend’s gift code gives you both {{percent}} % extra.',
      giftError: 'A gift code has at most 20 characters.',
      redeem: 'Redeem',
      done: 'Top-up succeeded: {{quota}} added.',
      failed: 'request failed, please try again',
    },
    shop: {
      title: 'Buy quota',
      hint: 'The shop sells top-up codes. Redeem yours above.',
      hintHere: 'The shop opens in a new tab. Your purchase is added to this account.',
      buyHere: 'Buy quota for this account',
      promotion: 'From {{from}} to {{until}}: {{off}} % off.',
      packageTitle: '{{usd}} quota',
      buy: 'Buy',
      buyNamed: 'Buy {{usd}} for {{cny}}, opens the shop in a new tab',
      noShop: 'This site has no shop. Ask its operator for a top-up code.',
      noPackages: 'No packages are on sale at the moment.',
    },
    more: {
      title: 'More',
      group: 'Chat group',
      groupHint: 'News, help and offers.',
      groupOpen: 'Join the group',
      invoice: 'Invoice',
      invoiceHint: 'For your payments.',
      invoiceOpen: 'Request an invoice',
      custom: 'Custom package',
      customHint: 'Another amount, for a team or a company.',
      customOpen: 'Request a quote',
    },
  },
  zh: {
    statements: '账单与扣费明细',
    code: {
      title: '兑换码充值',
      key: '兑换码',
      keyError: '请输入兑换码！',
      several: '请逐个兑换，每次填写一个兑换码。',
      gift: '礼品码',
      giftHint: '选填。使用好友的礼品码，双方各多得 {{percent}} % 额度。',
      giftError: '礼品码最多 20 个字符。',
      redeem: '兑换',
      done: '充值成功，到账 {{quota}}！',
      failed: '请求失败，请重试',
    },
    shop: {
      title: '购买额度',
      hint: '在商店购买兑换码后，回到上方兑换。',
      hintHere: '商店将在新标签页打开，购买后额度会充入当前账户。',
      buyHere: '为当前账户购买额度',
      promotion: '限时优惠：{{from}} 至 {{until}}，{{fold}} 折。',
      packageTitle: '{{usd}} 额度',
      buy: '购买',
      buyNamed: '以 {{cny}} 购买 {{usd}} 额度，在新标签页打开商店',
      noShop: '本站尚未设置商店，请联系站长获取兑换码。',
      noPackages: '目前没有在售套餐。',
    },
    more: {
      title: '更多',
      group: '交流群',
      groupHint: '公告、答疑与优惠信息。',
      groupOpen: '加入交流群',
      invoice: '发票',
      invoiceHint: '为已支付的充值开具发票。',
      invoiceOpen: '申请发票',
      custom: '定制套餐',
      customHint: '其他金额，适合团队和企业。',
      customOpen: '联系定制',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    topup: typeof topUpMessages.en
  }
}
