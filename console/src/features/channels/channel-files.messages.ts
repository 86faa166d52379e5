import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const channelFilesMessages = messages({
  en: {
    export: 'Export channels',
    exportHint:
      'The file contains all channels. You can import it here or in another installation.',
    withKeys: 'Include keys and passwords',
    withKeysHint:
      'Anyone with the file can use the keys. Only root can export them, after confirming their identity.',
    download: 'Download',
    exported_one: '{{count}} channel exported.',
    exported_other: '{{count}} channels exported.',
    import: 'Import channels',
    importHint:
      'Choose a file that was exported here, or a JSON list of channels of New API, One API or one-hub. Nothing changes before you have seen a preview.',
    choose: 'Choose file',
    notJson: 'The file is not JSON. Choose a JSON file.',
    source: 'Format: {{name}}',
    counted: '{{title}} ({{number}})',
    new: 'New',
    changed: 'Changed',
    unchanged: 'Unchanged',
    wrong: 'Not importable',
    leftOut: 'Not supported, left out: {{names}}',
    secret: 'changed',
    added: 'added: {{names}}',
    removed: 'removed: {{names}}',
    nothing: 'The file changes nothing.',
    begin: 'Import',
    beginAll: 'Import: {{added}} new, {{changed}} changed',
    done: 'Imported: {{added}} new, {{changed}} changed.',
    empty: 'empty',
  },
  zh: {
    export: '导出渠道',
    exportHint: '文件包含全部渠道，可在本站或其他站点导入。',
    withKeys: '包含密钥和密码',
    withKeysHint: '任何人拿到该文件都能使用其中的密钥。仅超级管理员在验证身份后可以导出。',
    download: '下载',
    exported_one: '已导出 {{count}} 个渠道。',
    exported_other: '已导出 {{count}} 个渠道。',
    import: '导入渠道',
    importHint:
      '请选择本产品导出的文件，或 New API、One API、one-hub 的渠道 JSON 列表。确认预览前不会做任何改动。',
    choose: '选择文件',
    notJson: '该文件不是 JSON，请选择 JSON 文件。',
    source: '格式：{{name}}',
    counted: '{{title}}（{{number}}）',
    new: '新增',
    changed: '修改',
    unchanged: '无变化',
    wrong: '无法导入',
    leftOut: '不支持而略过的字段：{{names}}',
    secret: '有改动',
    added: '新增：{{names}}',
    removed: '移除：{{names}}',
    nothing: '该文件不会带来任何改动。',
    begin: '导入',
    beginAll: '导入：新增 {{added}} 个，修改 {{changed}} 个',
    done: '导入完成：新增 {{added}} 个，修改 {{changed}} 个。',
    empty: '空',
  },
})

addTexts('channelFiles', channelFilesMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    channelFiles: typeof channelFilesMessages.en
  }
}
