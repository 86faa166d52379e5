import { messages } from '../../i18n/types.ts'
import { editorMessages } from './editor.messages.ts'

export const settingsMessages = messages({
  en: {
    switch: {
      needs: 'Fill in first: {{names}}.',
      passwordTitle: 'Turn off login by password?',
      passwordBody:
        'All users without another way to log in, administrators included, will be unable to log in by password.',
      passwordVerb: 'Turn off password login',
    },
    form: {
      discard: 'Discard changes',
      changes_one: '{{count}} unsaved change',
      changes_other: '{{count}} unsaved changes',
      unchanged: 'No changes to save.',
      saved: 'Settings saved.',
    },
    move: {
      title: 'Use the console at {{address}}?',
      server:
        'You are at {{host}} now. Once this takes effect, people can log in and change things only at {{address}}, at localhost and at IP addresses. Check that the address is right and leads here.',
      console:
        'You are at {{host}} now. Once this takes effect, the console and its API are served only at {{address}} and at localhost. Check that the address is right and leads here.',
      verb: 'Save this address',
    },
    problem: {
      json: '{{name}} is not a valid JSON string (line {{line}}, column {{column}}).',
      twice: '{{name}}: duplicate "{{member}}" in line {{line}}.',
      value: 'The value {{problem}}.',
      place: '{{place}}: {{problem}}.',
    },
    secret: {
      unchanged: 'unchanged',
      hint: 'Never shown. Leave empty to keep it; a single space removes it.',
      again:
        'It is sent to the server you are changing ({{names}}). If somebody else entered it, enter it again.',
      show: 'Show or hide what is typed: {{name}}',
    },
    ...editorMessages.en,
    preview: {
      show: 'Preview',
      hide: 'Hide preview',
      showNamed: 'Preview of {{name}}',
      hideNamed: 'Hide preview of {{name}}',
      of: 'What readers see: {{name}}',
      empty: 'Nothing yet.',
    },
    cleanup: {
      target: 'Delete log entries from before',
      button: 'Clean up logs',
      wrong: 'Use YYYY-MM-DD HH:mm:ss.',
      title: 'Delete all log entries from before {{time}}?',
      body: 'The receipts of these requests are permanently deleted. Balances and statistics stay.',
      verb: 'Delete entries before {{time}}',
      done_one: '{{count}} log cleaned.',
      done_other: '{{count}} logs cleaned.',
      failed: 'log cleanup failed: {{message}}',
    },
    mail: {
      to: 'Send a test email to',
      button: 'Send test email',
      wrong: 'Please enter an email address.',
      sent: 'Test email sent to {{to}}.',
      hint: 'It uses the saved settings.',
      unset: 'Save an SMTP server first.',
    },
    alert: {
      button: 'Send test alert',
      unset: 'Save a receiver first.',
      none: 'No receiver is complete.',
      accepted: '{{name}}: accepted.',
      refused: '{{name}}: {{problem}}',
      receiver: { webhook: 'Webhook', feishu: 'Feishu', telegram: 'Telegram' },
    },
    update: {
      button: 'Check for updates',
      running: 'Running version: {{version}}',
      unset: 'Save an address first.',
      latest: 'Already the latest version: {{tag}}',
      newer: 'New version {{tag}}',
      noText: 'This release has no notes.',
      failed:
        'Checking for updates failed: {{message}} If the address has just been changed, reload this page first.',
    },
    history: {
      open: 'History',
      title: 'Settings history',
      time: 'Time',
      who: 'Changed by',
      option: 'Setting',
      before: 'Before',
      after: 'After',
      empty: 'No changes yet',
      emptyHint: 'Every change of a setting is recorded here with its author.',
    },
  },
  zh: {
    switch: {
      needs: '请先填写：{{names}}。',
      passwordTitle: '关闭密码登录？',
      passwordBody: '所有未绑定其他登录方式的用户（包括管理员）都将无法通过密码登录。',
      passwordVerb: '关闭密码登录',
    },
    form: {
      discard: '放弃修改',
      changes_one: '{{count}} 项修改未保存',
      changes_other: '{{count}} 项修改未保存',
      unchanged: '没有任何修改。',
      saved: '设置已保存！',
    },
    move: {
      title: '将控制台地址改为 {{address}}？',
      server:
        '当前访问的是 {{host}}。生效后，只能通过 {{address}}、localhost 或 IP 地址登录和修改。请确认该地址无误，并且指向本系统。',
      console:
        '当前访问的是 {{host}}。生效后，控制台及其 API 只在 {{address}} 和 localhost 提供。请确认该地址无误，并且指向本系统。',
      verb: '保存此地址',
    },
    problem: {
      json: '{{name}}不是合法的 JSON 字符串（第 {{line}} 行，第 {{column}} 列）',
      twice: '{{name}}中“{{member}}”重复，第二处在第 {{line}} 行',
      value: '{{problem}}',
      place: '{{place}}：{{problem}}',
    },
    secret: {
      unchanged: '不修改',
      hint: '不会显示。留空则不修改，填一个空格则清除。',
      again: '你正在修改它的接收服务器（{{names}}）：如果它由他人填写，请重新填写。',
      show: '显示或隐藏输入内容：{{name}}',
    },
    ...editorMessages.zh,
    preview: {
      show: '预览',
      hide: '收起预览',
      showNamed: '预览{{name}}',
      hideNamed: '收起{{name}}的预览',
      of: '{{name}}的显示效果',
      empty: '尚无内容。',
    },
    cleanup: {
      target: '清理此时间之前的日志',
      button: '清理历史日志',
      wrong: '请输入时间，格式为 YYYY-MM-DD HH:mm:ss。',
      title: '删除 {{time}} 之前的所有日志？',
      body: '这些请求的账单明细将永久删除，余额和统计不受影响。',
      verb: '删除 {{time}} 之前的日志',
      done_one: '{{count}} 条日志已清理！',
      done_other: '{{count}} 条日志已清理！',
      failed: '日志清理失败：{{message}}',
    },
    mail: {
      to: '测试邮件收件人',
      button: '发送测试邮件',
      wrong: '请输入邮箱地址。',
      sent: '测试邮件已发送至 {{to}}。',
      hint: '按已保存的设置发送。',
      unset: '请先保存 SMTP 服务器地址。',
    },
    alert: {
      button: '发送测试告警',
      unset: '请先保存至少一个接收方。',
      none: '没有填写完整的接收方。',
      accepted: '{{name}}：已接收。',
      refused: '{{name}}：{{problem}}',
      receiver: { webhook: 'Webhook', feishu: '飞书', telegram: 'Telegram' },
    },
    update: {
      button: '检查更新',
      running: '当前版本：{{version}}',
      unset: '请先保存检查更新的地址。',
      latest: '已是最新版本：{{tag}}',
      newer: '新版本 {{tag}}',
      noText: '该版本没有说明。',
      failed: '检查更新失败：{{message}} 如果刚修改过地址，请先刷新此页面。',
    },
    history: {
      open: '修改记录',
      title: '设置修改记录',
      time: '时间',
      who: '操作者',
      option: '设置项',
      before: '修改前',
      after: '修改后',
      empty: '还没有修改过设置',
      emptyHint: '每次修改设置及其操作者都会记录在这里。',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    settings: typeof settingsMessages.en
  }
}
