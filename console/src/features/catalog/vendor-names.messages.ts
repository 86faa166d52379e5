import { currentLanguage } from '../../i18n/texts.ts'

/** Vendors whose customers know them by a Chinese name; the others have one name everywhere. */
const CHINESE: Readonly<Record<string, string>> = {
  'Alibaba Tongyi Qianwen': '阿里通义千问',
  'Baidu Wenxin': '百度文心千帆',
  'Moonshot AI': '月之暗面',
  'Tencent Hunyuan': '腾讯混元',
  'Zhipu ChatGLM': '智谱 ChatGLM',
  '360 Zhinao': '360 智脑',
  'iFlytek Spark': '讯飞星火',
  '01.AI': '零一万物',
  Baichuan: '百川智能',
  StepFun: '阶跃星辰',
  Volcengine: '火山引擎',
  Xiaomi: '小米',
}

export const vendorName = (vendor: string): string =>
  (currentLanguage() === 'zh' ? CHINESE[vendor] : undefined) ?? vendor
