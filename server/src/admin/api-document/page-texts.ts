import type { Access, Language } from '@tollgate/contract'

const EN = {
  title: 'API of this server',
  intro:
    'Everything the console does, for scripts. Make an access token on your account page and send it in the header Authorization. Answers are JSON: success, message, data. What was understood and refused is HTTP 200 with success false and a sentence in message.',
  machineReadable: 'The same as an OpenAPI 3.1 document:',
  resources: 'Contents',
  access: {
    public: 'everybody',
    user: 'logged in',
    admin: 'administrators',
    root: 'super administrator',
    relay_key: 'relay key',
  } satisfies Record<Access, string>,
  field: 'Field',
  place: 'In',
  rule: 'Value',
  places: { params: 'path', query: 'query', body: 'body' },
  required: 'required',
  fallback: 'default',
  characters: 'characters',
  noInput: 'Takes no fields.',
  answer: 'Data of the answer',
  plainAnswer: 'Answer, without an envelope',
  alsoAt: 'The same under',
  lines: 'Each line of the answer, as JSON',
  noData: 'The answer has no data.',
  extra: 'Fields next to data:',
  paged: 'The header X-Total-Count tells how many rows there are.',
  browsersOnly: 'A browser sends this only from a page of this server.',
  confirmed: 'A session must have logged in or confirmed within the last ten minutes.',
  sessionOnly: 'Access tokens are refused.',
  example: 'Example',
}

type Texts = typeof EN

const ZH: Texts = {
  title: '本站 API 文档',
  intro:
    '控制台的全部功能均可由脚本调用。请在个人账户页面生成访问令牌，并放在请求头 Authorization 中。返回值为 JSON：success、message、data。请求被拒绝时返回 HTTP 200，success 为 false，原因见 message。',
  machineReadable: 'OpenAPI 3.1 格式：',
  resources: '目录',
  access: {
    public: '所有人',
    user: '已登录用户',
    admin: '管理员',
    root: '超级管理员',
    relay_key: '令牌密钥',
  },
  field: '字段',
  place: '位置',
  rule: '取值',
  places: { params: '路径', query: '查询参数', body: '请求体' },
  required: '必填',
  fallback: '默认值',
  characters: '个字符',
  noInput: '无需参数。',
  answer: '返回的 data',
  plainAnswer: '返回内容（不含外层结构）',
  alsoAt: '也可访问：',
  lines: '返回的每一行（JSON）',
  noData: '不返回 data。',
  extra: '与 data 并列的字段：',
  paged: '响应头 X-Total-Count 为总行数。',
  browsersOnly: '浏览器只能从本站页面发起该请求。',
  confirmed: '会话须在最近十分钟内登录或确认过身份。',
  sessionOnly: '不接受访问令牌。',
  example: '示例',
}

export const PAGE_TEXTS: Readonly<Record<Language, Texts>> = { en: EN, zh: ZH }

export type PageTexts = Texts
