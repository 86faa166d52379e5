import type { ErrorRow } from './error-row.ts'

export const CHANNEL_ERRORS = {
  channel_type_unserved: {
    status: 200,
    field: 'type',
    en: 'The field "type" must be a channel type that this version supports; {type} is not.',
    zh: '字段“type”须为当前版本支持的渠道类型，{type} 不是。',
  },
  channel_key_not_in_file: {
    status: 200,
    en: 'The file has no key for this channel. Export channels with their keys. Lists of other gateways come without keys; npm run import reads their database.',
    zh: '文件中没有该渠道的密钥。导出时请包含密钥；其他网关的渠道列表不含密钥，可用 npm run import 从其数据库导入。',
  },
  channel_base_url_required: {
    status: 200,
    field: 'base_url',
    en: 'The field "base_url" must not be empty: channels of this type need an address.',
    zh: '字段“base_url”不能为空：该类型的渠道必须填写接口地址。',
  },
  key_line_invalid: {
    status: 200,
    field: 'key',
    en: 'Line {line} of the field "key" contains a space or another character that cannot be in a key.',
    zh: '字段“key”第 {line} 行含有空格或其他无效字符。',
  },
  key_form_invalid: {
    status: 200,
    field: 'key',
    en: 'Line {line} of the field "key" does not look like a key for this channel type; the format is {format}.',
    zh: '字段“key”第 {line} 行不符合该类型渠道的密钥格式，应为 {format}。',
  },
  key_needed_again: {
    status: 200,
    field: 'key',
    en: 'Requests would go to another server. Enter the key again to allow that.',
    zh: '请求将发往另一台服务器，请重新填写密钥以确认。',
  },
  channel_test_failed: { status: 200, en: 'The test failed: {reason}', zh: '测试失败：{reason}' },
  channel_not_testable: { status: 200, en: 'Not testable: {reason}', zh: '无法测试：{reason}' },
  balance_unsupported: {
    status: 200,
    en: 'The provider of this channel does not report a balance.',
    zh: '该类型的渠道不支持查询余额。',
  },
  balance_failed: {
    status: 200,
    en: 'The balance could not be read: {reason}',
    zh: '余额查询失败：{reason}',
  },
  model_list_unsupported: {
    status: 200,
    en: 'The provider of this channel does not list its models.',
    zh: '该类型的渠道没有可供查询的模型列表。',
  },
  model_list_failed: {
    status: 200,
    en: 'The models could not be fetched: {reason}',
    zh: '获取模型列表失败：{reason}',
  },
  key_not_found: { status: 200, en: 'The channel has no such key.', zh: '该渠道没有此密钥。' },
  import_not_understood: {
    status: 200,
    field: 'file',
    en: 'The field "file" has no channels: it must be an export of this product, New API, One API or one-hub.',
    zh: '字段“file”中没有渠道：须为本产品、New API、One API 或 one-hub 导出的文件。',
  },
  import_changed: {
    status: 200,
    en: 'The channels have changed since the preview. Check the new preview and import again.',
    zh: '预览后渠道已有变动，请查看新的预览后重新导入。',
  },
  import_ambiguous: {
    status: 200,
    en: 'Several channels are named "{name}". Rename them, or import a file with their ids.',
    zh: '有多个名为“{name}”的渠道。请先重命名，或导入含有其 id 的文件。',
  },
  import_repeated: {
    status: 200,
    en: 'The file has this channel more than once.',
    zh: '文件中该渠道出现了多次。',
  },
  last_key: {
    status: 200,
    en: 'This is the last enabled key. Add another key first, or disable the channel.',
    zh: '这是最后一个启用的密钥。请先添加其他密钥，或直接禁用该渠道。',
  },
} as const satisfies Record<string, ErrorRow>
