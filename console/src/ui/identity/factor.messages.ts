import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const factorMessages = messages({
  en: {
    browser: '{{browser}} on {{system}}',
    weChat: 'WeChat',
    none: 'None of your second factors works at this address. Open the console at another address, or ask an administrator to reset them.',
    step: {
      title: 'Two-step verification',
      submit: 'Continue',
      back: 'Back',
    },
    confirm: {
      title: 'Confirm it is you',
      why: 'Confirm your identity to continue. It counts for {{minutes}} minutes in this browser.',
      submit: 'Confirm',
    },
    password: {
      label: 'Password',
      instead: 'Use the password instead',
    },
    totp: {
      label: '6-digit code',
      how: 'Open your authenticator app and enter the code that it shows.',
      instead: 'Use the authenticator app instead',
    },
    recovery: {
      label: 'Recovery code',
      how: 'Enter one of the recovery codes that you saved. Each code works once.',
      instead: 'Use a recovery code instead',
    },
    passkey: {
      use: 'Use a passkey',
      how: 'Your browser asks for your fingerprint, face, screen lock or security key.',
      unsupported:
        'This browser does not support passkeys here. Use another browser, or open this site over HTTPS.',
      known: 'this device already has a passkey for your account',
      address: 'passkeys do not work at this address; open the site by its domain name',
      failed: 'the passkey could not be used ({{reason}})',
    },
  },
  zh: {
    browser: '{{system}} 上的 {{browser}}',
    weChat: '微信',
    none: '你的两步验证方式在当前地址均不可用。请换用其他地址访问控制台，或联系管理员重置两步验证。',
    step: {
      title: '两步验证',
      submit: '继续',
      back: '返回',
    },
    confirm: {
      title: '请确认是你本人',
      why: '此操作需要验证身份，验证后 {{minutes}} 分钟内在此浏览器中无需再次验证。',
      submit: '确认',
    },
    password: {
      label: '密码',
      instead: '改用密码',
    },
    totp: {
      label: '6 位验证码',
      how: '请打开验证器应用，输入其中显示的验证码。',
      instead: '改用验证器应用',
    },
    recovery: {
      label: '恢复代码',
      how: '请输入你保存的任意一个恢复代码，每个恢复代码只能使用一次。',
      instead: '改用恢复代码',
    },
    passkey: {
      use: '使用通行密钥',
      how: '浏览器将请你使用指纹、面容、锁屏密码或安全密钥进行验证。',
      unsupported: '此浏览器在当前地址下不支持通行密钥。请换用其他浏览器，或通过 HTTPS 访问本站。',
      known: '此设备上已有该账户的通行密钥',
      address: '当前地址不支持通行密钥，请使用域名访问本站',
      failed: '无法使用通行密钥（{{reason}}）',
    },
  },
})

// Shared by login, the confirmation dialog and the account settings.
addTexts('factor', factorMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    factor: typeof factorMessages.en
  }
}
