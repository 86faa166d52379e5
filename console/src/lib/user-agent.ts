import { t } from '../i18n/texts.ts'

type Rule = { name: string; pattern: RegExp }

/** Named constant because this browser's name is translated. */
const WECHAT = 'WeChat'

/** The first match wins: most user agents also name the browsers they derive from. */
const BROWSERS: readonly Rule[] = [
  { name: 'Edge', pattern: /\bEdg(?:e|A|iOS)?\// },
  { name: 'Opera', pattern: /\b(?:OPR|OPX|OPiOS|Opera)\// },
  { name: 'Vivaldi', pattern: /\bVivaldi\// },
  { name: 'Samsung Internet', pattern: /\bSamsungBrowser\// },
  { name: 'QQ', pattern: /\b(?:M?QQBrowser|QQ)\// },
  { name: 'UC', pattern: /\bUC(?:Browser|BrowserMobile)?\// },
  { name: WECHAT, pattern: /\bMicroMessenger\// },
  { name: 'Firefox', pattern: /\b(?:Firefox|FxiOS)\// },
  { name: 'Chrome', pattern: /\b(?:Headless)?(?:Chrome|CriOS|Chromium)\// },
  { name: 'Safari', pattern: /\bVersion\/[\d.]+ .*\bSafari\// },
]

const SYSTEMS: readonly Rule[] = [
  { name: 'Windows', pattern: /\bWindows\b/ },
  { name: 'Android', pattern: /\bAndroid\b/ },
  { name: 'HarmonyOS', pattern: /\b(?:HarmonyOS|OpenHarmony)\b/ },
  { name: 'iPhone', pattern: /\biPhone\b/ },
  { name: 'iPad', pattern: /\biPad\b/ },
  { name: 'macOS', pattern: /\bMac(?:intosh| OS X)\b/ },
  { name: 'ChromeOS', pattern: /\bCrOS\b/ },
  { name: 'Linux', pattern: /\bLinux\b/ },
]

const find = (rules: readonly Rule[], text: string) =>
  rules.find(({ pattern }) => pattern.test(text))?.name

/** Browser and system of a User-Agent, or the raw text if either is unknown. */
export function browserIn(userAgent: string): string {
  const browser = find(BROWSERS, userAgent)
  const system = find(SYSTEMS, userAgent)
  if (browser === undefined || system === undefined) {
    return userAgent.trim() || t('common.state.unknown')
  }
  const name = browser === WECHAT ? t('factor.weChat') : browser
  return t('factor.browser', { browser: name, system })
}
