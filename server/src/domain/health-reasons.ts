import type { InBoth } from '@tollgate/contract'

/* Why a channel is in its state, for operators. */

export const disabledByHand: InBoth = {
  en: 'Disabled by an administrator.',
  zh: '已由管理员禁用。',
}

export const disabledAutomatically: InBoth = { en: 'Disabled automatically.', zh: '已自动禁用。' }

export const untested: InBoth = {
  en: 'No requests in 24 hours, and never tested.',
  zh: '近 24 小时没有请求，也从未测试。',
}

export const untestable = ({ en, zh }: InBoth): InBoth => ({
  en: `No requests in 24 hours, and not testable: ${en}`,
  zh: `近 24 小时没有请求，且无法测试：${zh}`,
})

export const testFailed = ({ en, zh }: InBoth): InBoth => ({
  en: `The last test failed: ${en}`,
  zh: `上次测试失败：${zh}`,
})

export const testPassed = (milliseconds: number): InBoth => ({
  en: `The last test passed in ${timeText(milliseconds)}.`,
  zh: `上次测试通过，用时 ${timeText(milliseconds)}。`,
})

type Attempts = { readonly failed: number; readonly of: number; readonly last: InBoth }

export const attemptsFailed = ({ failed, of, last }: Attempts): InBoth => ({
  en: `${countText(failed)} of ${countText(of)} recent attempts failed: ${last.en}`,
  zh: `近期 ${countText(of)} 次尝试中 ${countText(failed)} 次失败：${last.zh}`,
})

type Cooling = {
  readonly models: number
  readonly of: number
  readonly untilMs: number
  readonly last: InBoth | null
}

export function cooling({ models, of, untilMs, last }: Cooling): InBoth {
  const seconds = Math.max(1, Math.ceil(untilMs / 1000))
  const isAll = models === of
  const en = isAll ? 'Skipped' : `${models} of ${of} models skipped`
  const zh = isAll ? '暂停使用' : `${of} 个模型中 ${models} 个暂停使用`
  return {
    en: `${en} for ${countText(seconds)} s after failures${last === null ? '.' : `: ${last.en}`}`,
    zh: `连续失败后${zh} ${countText(seconds)} 秒${last === null ? '。' : `：${last.zh}`}`,
  }
}

export function slow(milliseconds: number, usualMs: number | null): InBoth {
  const time = timeText(milliseconds)
  if (usualMs === null) {
    return { en: `First token after ${time} (median).`, zh: `首字时间中位数为 ${time}。` }
  }
  const usual = timeText(usualMs)
  return {
    en: `First token after ${time} (median), usually ${usual}.`,
    zh: `首字时间中位数为 ${time}，平时为 ${usual}。`,
  }
}

const NAMES_MAX = 3

export function shutDown(models: readonly string[]): InBoth {
  const names = models.slice(0, NAMES_MAX).join(', ')
  const more = models.length > NAMES_MAX ? ' …' : ''
  return {
    en: `Shut down by the vendor: ${names}${more}`,
    zh: `厂商已下线的模型：${names}${more}`,
  }
}

type Answered = { readonly answered: number; readonly of: number }

/** Rounded down, so that a single failure never shows as 100 %. */
export function answered({ answered: count, of }: Answered): InBoth {
  const share = (Math.floor((count / of) * 1000) / 10).toFixed(1)
  return {
    en: `${share} % of ${countText(of)} ${of === 1 ? 'attempt' : 'attempts'} in 24 hours succeeded.`,
    zh: `近 24 小时 ${countText(of)} 次尝试的成功率为 ${share} %。`,
  }
}

const countText = (count: number) => count.toLocaleString('en-US')

const timeText = (milliseconds: number) =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`
