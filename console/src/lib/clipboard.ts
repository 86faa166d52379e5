import { t } from '../i18n/texts.ts'
import { showSuccess, showWarning } from './toast.ts'

/**
 * Browsers have the clipboard only over HTTPS and on this machine. Elsewhere an older command
 * copies what is selected. An open dialog keeps the focus from everything outside of it.
 */
function copySelected(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'announcement'
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(field)
  field.focus({ preventScroll: true })
  field.select()
  // oxlint-disable-next-line typescript/no-deprecated -- the only way without HTTPS
  const isCopied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return isCopied
}

/** False when the browser refuses; the reason goes to the browser console. */
async function writeClipboard(text: string): Promise<boolean> {
  if (!window.isSecureContext) return copySelected(text)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch (error) {
    // oxlint-disable-next-line eslint/no-console -- the only trace of why copying failed
    console.error(error)
    return false
  }
}

/**
 * Copies the text and shows `done`. On failure shows a warning and passes the text to `onManual`,
 * or includes it in the warning.
 */
export async function copyText(
  text: string,
  onManual?: (text: string) => void,
  done: string = t('common.toast.copied'),
) {
  if (await writeClipboard(text)) {
    showSuccess(done)
    return
  }
  const warning = t('common.toast.copyManually')
  showWarning(onManual ? warning : `${warning} ${text}`)
  onManual?.(text)
}
