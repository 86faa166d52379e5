import { messages } from '../../i18n/types.ts'

export const partnerMessages = messages({
  en: {
    plan: {
      title: 'How it works',
      intro: 'Bring friends to this site and earn from every top-up they make.',
      cashBack: 'You earn {{cny}} for every ${{usd}} that a friend you invited tops up.',
      gift: 'A friend who tops up with your gift code gets {{percent}} % extra quota, and so do you.',
      giftCode: 'Your gift code is the last {{length}} characters of your invite link.',
      withdrawal:
        'You can withdraw earnings of ¥{{least}} or more by Alipay or in USDT. The review takes about {{hours}}\u00a0hours. Contact the operator of this site.',
      signIn: 'Log in to see your invite link, your gift code and your earnings.',
      login: 'Log in',
    },
    own: {
      title: 'Your invitations',
      inviteLink: 'Invite link',
      giftCode: 'Gift code',
      earnings: 'Earnings',
      missing: '{{amount}} more until you can withdraw',
      enough: 'ready to withdraw',
      failed: 'Your invitations could not be loaded.',
    },
    friends: {
      title: 'Invited friends',
      label: 'Invited friends',
      time: 'Invited',
      username: 'Username',
      empty: 'No friends yet. Send your invite link to a friend.',
      failed: 'The list of friends could not be loaded.',
      pages: 'Pages of friends',
      total_one: 'One friend',
      total_other: '{{count}} friends',
    },
  },
  zh: {
    plan: {
      title: '计划说明',
      intro: '邀请好友使用本站，好友每次充值你都能获得返现。',
      cashBack: '你邀请的好友每充值 ${{usd}}，你可得 {{cny}} 返现。',
      gift: '好友充值时填写你的礼品码，双方各多得 {{percent}} % 额度。',
      giftCode: '礼品码即邀请链接的最后 {{length}} 个字符。',
      withdrawal:
        '收益满 ¥{{least}} 即可提现，支持支付宝或 USDT，审核约需 {{hours}}\u00a0小时，请联系站长办理。',
      signIn: '登录后可查看你的邀请链接、礼品码和收益。',
      login: '登录',
    },
    own: {
      title: '我的邀请',
      inviteLink: '邀请链接',
      giftCode: '礼品码',
      earnings: '收益余额',
      missing: '还差 {{amount}} 可提现',
      enough: '可提现',
      failed: '邀请信息加载失败。',
    },
    friends: {
      title: '已邀请的好友',
      label: '已邀请的好友',
      time: '邀请时间',
      username: '用户名',
      empty: '还没有邀请好友，把邀请链接发给朋友吧。',
      failed: '好友列表加载失败。',
      pages: '好友分页',
      total_one: '共 {{count}} 位好友',
      total_other: '共 {{count}} 位好友',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    partner: typeof partnerMessages.en
  }
}
