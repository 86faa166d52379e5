import { expect, test } from 'vitest'
import { NO_FIELDS } from './log-fields.ts'
import { isUnfinished, parseQuery, queryText } from './log-query.ts'

const UNIT = 500_000

test.each([
  ['failed', { outcome: 'failed' }],
  ['failed refused', { outcome: 'failed,refused' }],
  ['model:gpt-5.1', { model_name: 'gpt-5.1' }],
  ['model:gpt-5*', { model_part: 'gpt-5*' }],
  ['gpt', { model_part: 'gpt' }],
  ['constructor', { model_part: 'constructor' }],
  ['token:"my key"', { token_name: 'my key' }],
  ['user:carol', { username: 'carol' }],
  ['user:#12', { user_id: '12' }],
  ['user:*ar*', { user_part: '*ar*' }],
  ['channel:7 stream:true', { channel: '7', stream: 'true' }],
  ['charge>0.01 charge<=$2', { min_quota: '5000', max_quota: '1000000' }],
  ['cost>0.01 cost<=$2', { min_quota: '5000', max_quota: '1000000' }],
  ['time>2s time<500ms', { min_duration: '2000', max_duration: '500' }],
  ['model：gpt-5.1 token:测试：A', { model_name: 'gpt-5.1', token_name: '测试：A' }],
  ['charge＞0.01 time＜2s', { min_quota: '5000', max_duration: '2000' }],
  ['Model:GPT-4o Failed', { model_name: 'GPT-4o', outcome: 'failed' }],
  ['model=gpt-4o status:success', { model_name: 'gpt-4o', outcome: 'answered' }],
  ['模型：gpt-4o 用户:carol 失败', { model_name: 'gpt-4o', username: 'carol', outcome: 'failed' }],
  ['费用>0.01 耗时>=2s', { min_quota: '5000', min_duration: '2000' }],
  ['"a=b"', { model_part: 'a=b' }],
  ['time>1.5', { min_duration: '1500' }],
  ['202611272114050001234567812345678', { request_id: '202611272114050001234567812345678' }],
])('%s means %j', (text, fields) => {
  expect(parseQuery(text, UNIT)).toEqual({ fields, unknown: [] })
})

test.each([
  'charge>much',
  'cost>much',
  '费用：1',
  'status:200',
  'key:sk-1',
  'is:constructor',
  'constructor:a',
  'tokens>1000',
  'a=b',
  'charge=1',
  'channel:one',
  'stream:maybe',
  'colour:red',
  'model:',
])('%s means nothing and is reported', (text) => {
  expect(parseQuery(text, UNIT)).toEqual({ fields: {}, unknown: [text] })
})

test('a sentence is reported, and a repeated key replaces the value', () => {
  expect(parseQuery('search index', UNIT).unknown).toEqual(['index'])
  expect(parseQuery('mini model:*gpt*', UNIT).unknown).toEqual(['model:*gpt*'])
  expect(parseQuery('model:*gpt* mini', UNIT).unknown).toEqual(['mini'])
  const fields = { model_name: 'b' }
  expect(parseQuery('model:a model:b', UNIT)).toEqual({ fields, unknown: [] })
})

test.each(['my "first" key', String.raw`C:\keys "x"`, '"', 'a,b', '密钥：一'])(
  'a token named %j is found again by the text of its filter',
  (token_name) => {
    const text = queryText({ ...NO_FIELDS, token_name, outcome: 'failed' }, UNIT)
    expect(parseQuery(text, UNIT).fields).toEqual({ token_name, outcome: 'failed' })
  },
)

test('the text of a filter gives the same filter again', () => {
  const fields = {
    ...NO_FIELDS,
    outcome: 'failed,refused',
    model_part: 'gpt*mini',
    token_name: 'my key',
    user_id: '3',
    channel: '9',
    error: 'no_channel',
    endpoint: 'chat',
    group: 'vip',
    stream: 'false',
    min_quota: '5000',
    max_duration: '1500',
    request_id: 'r-1',
  }
  const text = queryText(fields, UNIT)
  expect({ ...NO_FIELDS, ...parseQuery(text, UNIT).fields }).toEqual(fields)
})

test('a suggested key or comparison waits for its value', () => {
  const words = ['model:', 'charge>', 'failed time>', 'charge>1', 'failed', '']
  expect(words.filter(isUnfinished)).toEqual(['model:', 'charge>', 'failed time>'])
})
