import { messages } from '../../i18n/types.ts'

export const redemptionMessages = messages({
  en: {
    list: {
      label: 'Redemption codes',
      add: 'Add redemption codes',
      emptyTitle: 'No redemption codes yet',
      emptyBody:
        'A redemption code is worth a quota. Whoever enters it on the top-up page gets that quota, once.',
      unused: 'unused',
      disabled: 'disabled',
      used: 'used',
      copy: 'Copy the code of {{name}}',
      closedAccount: 'closed account',
    },
    column: {
      id: 'ID',
      name: 'Name',
      status: 'Status',
      key: 'Code',
      quota: 'Quota',
      created: 'Created',
      redeemed: 'Redeemed',
      redeemedBy: 'Redeemed by',
    },
    action: {
      copy: 'Copy code',
      deleteTitle: 'Delete the redemption code {{name}}?',
      deleteBody: 'It can no longer be redeemed. What it has given already stays given.',
      deleteVerb: 'Delete {{name}}',
    },
    form: {
      editTitleNamed: 'Edit redemption code {{name}}',
      back: 'To the list',
      name: 'Name',
      nameHint: 'What the codes are for. 1 to 20 characters.',
      nameError: 'Please give a name of 1 to 20 characters.',
      quota: 'Quota',
      quotaHint: 'In units, for each code.',
      quotaError: 'The quota must be a whole number of 1 or more.',
      count: 'Number of codes',
      countHint: 'At most {{max}} at once.',
      countError: 'The number must be a whole number from 1 to 100.',
      create: 'Create',
      created: 'Redemption codes created.',
      saved: 'Redemption code updated.',
    },
    made: {
      title: 'Codes of {{name}}',
      saved_one: 'One code was created and saved as the file {{file}}.',
      saved_other: '{{count}} codes were created and saved as the file {{file}}.',
      codes: 'The codes, one per line',
      copy: 'Copy all',
      download: 'Download again',
    },
  },
  zh: {
    list: {
      label: '兑换码列表',
      add: '添加兑换码',
      emptyTitle: '还没有兑换码',
      emptyBody: '每个兑换码对应一定额度，用户在充值页面输入后即可获得，只能使用一次。',
      unused: '未使用',
      disabled: '已禁用',
      used: '已使用',
      copy: '复制 {{name}} 的兑换码',
      closedAccount: '已注销账户',
    },
    column: {
      id: 'ID',
      name: '名称',
      status: '状态',
      key: '兑换码',
      quota: '额度',
      created: '创建时间',
      redeemed: '兑换时间',
      redeemedBy: '兑换用户',
    },
    action: {
      copy: '复制兑换码',
      deleteTitle: '删除兑换码 {{name}}？',
      deleteBody: '删除后无法再兑换，已经兑换的额度不受影响。',
      deleteVerb: '删除 {{name}}',
    },
    form: {
      editTitleNamed: '编辑兑换码 {{name}}',
      back: '返回列表',
      name: '名称',
      nameHint: '说明兑换码的用途，1 到 20 个字符。',
      nameError: '请填写名称，1 到 20 个字符。',
      quota: '额度',
      quotaHint: '每个兑换码的额度。',
      quotaError: '额度须为不小于 1 的整数。',
      count: '生成数量',
      countHint: '一次最多 {{max}} 个。',
      countError: '数量须为 1 到 100 的整数。',
      create: '生成',
      created: '兑换码创建成功！',
      saved: '兑换码更新成功！',
    },
    made: {
      title: '{{name}} 的兑换码',
      saved_one: '已生成 {{count}} 个兑换码，并保存为文件 {{file}}。',
      saved_other: '已生成 {{count}} 个兑换码，并保存为文件 {{file}}。',
      codes: '兑换码，每行一个',
      copy: '全部复制',
      download: '重新下载',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    redemption: typeof redemptionMessages.en
  }
}
