import type { EndReason, LogResult } from '@tollgate/contract'
import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

/** `hold_unconfirmed` occurs only in rows of earlier versions. */
type EndTexts = Record<EndReason | 'hold_unconfirmed', string>
type ResultTexts = Record<LogResult, string>

export const outcomeMessages = messages({
  en: {
    result: {
      answered: 'answered',
      cut_off: 'cut off',
      failed: 'failed',
      refused: 'refused',
      cancelled: 'cancelled',
    } satisfies ResultTexts,
    refusal: {
      invalid_api_key: 'the API key is disabled, expired or used up',
      model_not_allowed: 'the API key may not use this model',
      address_not_allowed: 'the API key may not be used from this address',
      account_banned: 'the account is banned',
      channel_not_allowed: 'only administrators may name a channel',
      insufficient_user_quota: 'not enough quota',
      quota_in_use: 'running requests hold the balance',
      rate_limit_exceeded: 'too many requests',
      too_many_uploads: 'too many uploads at once',
      too_much_at_once: 'too much text at once',
      model_price_unset: 'the model has no price',
    },
    end: {
      finished: 'finished',
      upstream_error: 'no channel answered',
      request_refused: 'the provider rejected this request',
      broken_stream: 'the stream broke off',
      empty_answer: 'the answer was empty',
      client_left: 'client disconnected',
      no_channel: 'no channel serves this model',
      deadline: 'timed out',
      quota_used_up: 'the quota ran out',
      database_away: 'the database did not respond',
      journal_away: 'the journal could not be written',
      internal_error: 'internal error',
      interrupted: 'the server was interrupted',
      never_ended: 'still open after three hours',
      hold_unconfirmed: 'the hold was not confirmed',
    } satisfies EndTexts,
  },
  zh: {
    result: {
      answered: '成功',
      cut_off: '中断',
      failed: '失败',
      refused: '被拒绝',
      cancelled: '已取消',
    } satisfies ResultTexts,
    refusal: {
      invalid_api_key: '令牌已禁用、已过期或额度已用尽',
      model_not_allowed: '令牌无权使用该模型',
      address_not_allowed: '令牌不允许从该地址使用',
      account_banned: '账户已被封禁',
      channel_not_allowed: '只有管理员可以指定渠道',
      insufficient_user_quota: '额度不足',
      quota_in_use: '余额已被进行中的请求预扣',
      rate_limit_exceeded: '请求过于频繁',
      too_many_uploads: '同时上传过多',
      too_much_at_once: '同时处理的文本过多',
      model_price_unset: '模型没有定价',
    },
    end: {
      finished: '正常完成',
      upstream_error: '所有渠道均未返回结果',
      request_refused: '服务商拒绝了该请求',
      broken_stream: '流式响应中断',
      empty_answer: '回答为空',
      client_left: '客户端断开连接',
      no_channel: '没有可用渠道',
      deadline: '超过时限',
      quota_used_up: '额度在响应途中用尽',
      database_away: '数据库无响应',
      journal_away: '预写日志无法写入',
      internal_error: '内部错误',
      interrupted: '服务器中断',
      never_ended: '超过三小时仍未结束',
      hold_unconfirmed: '预扣未确认',
    } satisfies EndTexts,
  },
})

addTexts('outcome', outcomeMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    outcome: typeof outcomeMessages.en
  }
}
