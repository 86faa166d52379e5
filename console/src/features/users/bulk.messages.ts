import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const userBulkMessages = messages({
  en: {
    groupTitle_one: 'Set the group of {{count}} user',
    groupTitle_other: 'Set the group of {{count}} users',
    groupVerb_one: 'Change {{count}} user',
    groupVerb_other: 'Change {{count}} users',
    grantTitle_one: 'Add quota to {{count}} user',
    grantTitle_other: 'Add quota to {{count}} users',
    grantVerb: 'Add {{total}} in total',
    each: 'Quota for each user',
    credited_one:
      'The last run was incomplete. It credited one of these users, who is left out now. Change the remark to add the quota again.',
    credited_other:
      'The last run was incomplete. It credited {{count}} of these users, who are left out now. Change the remark to add the quota again.',
    preview: 'Preview',
    none: 'Nothing changes yet.',
  },
  zh: {
    groupTitle_one: '设置 {{count}} 个用户的分组',
    groupTitle_other: '设置 {{count}} 个用户的分组',
    groupVerb_one: '修改 {{count}} 个用户',
    groupVerb_other: '修改 {{count}} 个用户',
    grantTitle_one: '为 {{count}} 个用户增加额度',
    grantTitle_other: '为 {{count}} 个用户增加额度',
    grantVerb: '共增加 {{total}}',
    each: '每个用户增加的额度',
    credited_one:
      '上次操作未全部完成，其中 {{count}} 个用户已到账，本次不再重复增加。如需再次增加，请修改备注。',
    credited_other:
      '上次操作未全部完成，其中 {{count}} 个用户已到账，本次不再重复增加。如需再次增加，请修改备注。',
    preview: '预览',
    none: '尚无改动。',
  },
})

addTexts('userBulk', userBulkMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    userBulk: typeof userBulkMessages.en
  }
}
