import { isSignedBySpark, isSignedByTencent, isSignedByZhipu } from './signatures.ts'
import { fixture, QUESTION, recorded, type TypeRow } from './type-row.ts'

/*
 * Channel types whose key has several parts: the key signs each call, or is exchanged for a token.
 */

const { messages, max_tokens, temperature } = QUESTION

const BAIDU = { id: 'baidu-api-key-0a1b2c', secret: 'baidu-secret-key-3d4e5f' }

const baidu: TypeRow = {
  type: 15,
  key: `${BAIDU.id}|${BAIDU.secret}`,
  model: 'ERNIE-4.0-8K',
  exchange: {
    path: `/oauth/2.0/token?grant_type=client_credentials&client_id=${BAIDU.id}&client_secret=${BAIDU.secret}`,
    answer: fixture('baidu/__fixtures__/tokens/issued.json'),
    refusal: { status: 401, body: fixture('baidu/__fixtures__/tokens/refused.json') },
  },
  call: ({ stream }) => ({
    path: '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro?access_token=24.bbbb.2592000.1738281600.282335-1',
    headers: {},
    body: {
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'hi' }],
      temperature,
      max_output_tokens: max_tokens,
      ...(stream ? { stream: true } : {}),
    },
  }),
  ...recorded('baidu'),
  refusal: { status: 200, body: fixture('baidu/__fixtures__/errors/error.json') },
}

const ZHIPU = { id: '0123456789abcdef0123456789abcdef', secret: 'zhipuSecret01234' }

const zhipu: TypeRow = {
  type: 16,
  key: `${ZHIPU.id}.${ZHIPU.secret}`,
  model: 'glm-4.5-air',
  isSigned: isSignedByZhipu(ZHIPU),
  call: ({ stream }) => ({
    path: '/api/paas/v4/chat/completions',
    headers: {},
    body: { ...QUESTION, model: 'glm-4.5-air', ...(stream ? { stream: true } : {}) },
  }),
  ...recorded('zhipu'),
  refusal: {
    status: 401,
    body: JSON.stringify({ error: { code: '1002', message: 'Authorization Token非法' } }),
  },
}

const SPARK = { appId: 'spark-app-6a7b', secret: 'spark-api-secret-8c9d', id: 'spark-api-key-0e1f' }

const sparkFrame = (status: 0 | 1 | 2, content: string, more: object = {}) =>
  `${JSON.stringify({
    header: { code: 0, message: 'Success', sid: 'cht000a@dx1', status },
    payload: {
      choices: { status, seq: status, text: [{ role: 'assistant', index: 0, content }] },
      ...more,
    },
  })}\n`
const SPARK_USAGE = {
  usage: {
    text: { question_tokens: 4, prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  },
}
const SPARK_FRAMES = sparkFrame(0, '你') + sparkFrame(1, '好') + sparkFrame(2, '！', SPARK_USAGE)

const spark: TypeRow = {
  type: 18,
  key: `${SPARK.appId}|${SPARK.secret}|${SPARK.id}`,
  other: 'v2.1',
  model: 'SparkDesk',
  isSigned: isSignedBySpark(SPARK),
  call: () => ({
    path: '/v2.1/chat',
    headers: {},
    body: {
      header: { app_id: SPARK.appId },
      parameter: {
        chat: { domain: 'generalv2', temperature, max_tokens, auditing: 'default' },
      },
      payload: {
        message: {
          text: [
            { role: 'user', content: 'Be brief.' },
            { role: 'assistant', content: 'OK.' },
            { role: 'user', content: 'hi' },
          ],
        },
      },
    },
  }),
  answerBody: SPARK_FRAMES,
  stream: { body: SPARK_FRAMES },
  transport: 'websocket',
  refusal: {
    status: 401,
    body: JSON.stringify({
      message: 'HMAC signature cannot be verified, a valid date is required',
    }),
  },
  expected: {
    texts: ['你好！', '你好！'],
    usage: { prompt_tokens: 11, completion_tokens: 7 },
    model: 'SparkDesk',
  },
}

const TENCENT = { id: 'AKIDa1b2c3d4e5f6', key: 'tencentSecretKey7890' }

const tencent: TypeRow = {
  type: 23,
  key: `1250000000|${TENCENT.id}|${TENCENT.key}`,
  model: 'hunyuan-turbo',
  isSigned: isSignedByTencent(TENCENT),
  call: ({ stream }) => ({
    path: '/',
    headers: { 'x-tc-action': 'ChatCompletions', 'content-type': 'application/json' },
    body: {
      Model: 'hunyuan-turbo',
      Messages: messages.map(({ role, content }) => ({ Role: role, Content: content })),
      Stream: stream,
      Temperature: temperature,
    },
  }),
  ...recorded('tencent', 'hunyuan-turbo'),
  refusal: { status: 200, body: fixture('tencent/__fixtures__/errors/error.json') },
}

export const SIGNED_ROWS: readonly TypeRow[] = [baidu, zhipu, spark, tencent]
