import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const identityMessages = messages({
  en: {
    name: {
      github: 'GitHub',
      oidc: 'OIDC',
      lark: 'Lark',
      wechat: 'WeChat',
    },
    way: {
      title: 'Other login methods',
      login: 'Log in with {{name}}',
      bind: 'Bind {{name}}',
    },
    human: {
      wait: 'Please retry in a few seconds, Turnstile is checking the user environment!',
      failed:
        'The human check could not be loaded. Try again or reload the page; a content blocker may be blocking it.',
      unsupported: 'This browser does not support the human check. Please use another one.',
    },
    code: {
      label: 'Verification code',
      send: 'Send code',
      resend: 'Resend in {{seconds}} s',
      sent: 'Verification code sent. Please check your inbox.',
      emailError: 'Please enter an email address.',
    },
    wechat: {
      qrcode: 'QR code of the WeChat account',
      how: 'Scan the QR code with WeChat, follow the account and send it “验证码”. It replies with a code that is valid for three minutes.',
      howWithoutPicture:
        'Send “验证码” to the WeChat account of this site. It replies with a code that is valid for three minutes.',
      code: 'Code',
    },
  },
  zh: {
    name: {
      github: 'GitHub',
      oidc: 'OIDC',
      lark: '飞书',
      wechat: '微信',
    },
    way: {
      title: '其他登录方式',
      login: '使用{{name}}登录',
      bind: '绑定{{name}}',
    },
    human: {
      wait: '请稍后几秒重试，Turnstile 正在检查用户环境！',
      failed: '人机验证无法加载。请重试或刷新页面；内容拦截插件可能会阻止它。',
      unsupported: '此浏览器不支持人机验证，请换用其他浏览器。',
    },
    code: {
      label: '验证码',
      send: '获取验证码',
      resend: '{{seconds}} 秒后重新发送',
      sent: '验证码发送成功，请检查你的邮箱！',
      emailError: '请输入邮箱地址。',
    },
    wechat: {
      qrcode: '微信公众号二维码',
      how: '微信扫码关注公众号，发送“验证码”获取验证码（三分钟内有效）。',
      howWithoutPicture: '向本站的微信公众号发送“验证码”获取验证码（三分钟内有效）。',
      code: '验证码',
    },
  },
})

// Shared by several features, so these texts load with the components that use them.
addTexts('identity', identityMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    identity: typeof identityMessages.en
  }
}
