/** Source: https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ */
const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'
const DEADLINE_MS = 20_000

/** Widget sizes in pixels. */
export const TURNSTILE_SIZES = {
  normal: { width: 300, height: 65 },
  compact: { width: 130, height: 120 },
} as const

type TurnstileSettings = {
  sitekey: string
  size: keyof typeof TURNSTILE_SIZES
  theme: 'light' | 'dark'
  language: string
  callback: (token: string) => void
  'expired-callback': () => void
  'timeout-callback': () => void
  /** Return true to mark the error as handled. */
  'error-callback': () => boolean
  'unsupported-callback': () => void
}

export type Turnstile = {
  render: (holder: HTMLElement, settings: TurnstileSettings) => string | null | undefined
  remove: (widget: string) => void
}

declare global {
  interface Window {
    turnstile?: Turnstile
  }
}

let loading: Promise<Turnstile> | null = null

/** Loads the captcha script once. After a failure the next call tries again. */
export function loadTurnstile(): Promise<Turnstile> {
  loading ??= addScript().catch((error: unknown) => {
    loading = null
    throw error
  })
  return loading
}

function addScript(): Promise<Turnstile> {
  const script = document.createElement('script')
  script.src = SCRIPT
  script.async = true
  return new Promise<Turnstile>((resolve, reject) => {
    const fail = () => {
      clearTimeout(late)
      script.remove()
      reject(new Error('the script of the human check cannot be loaded'))
    }
    const late = setTimeout(fail, DEADLINE_MS)
    script.addEventListener('error', fail)
    script.addEventListener('load', () => {
      clearTimeout(late)
      if (window.turnstile) resolve(window.turnstile)
      else fail()
    })
    document.head.append(script)
  })
}
