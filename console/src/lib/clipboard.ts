import { t } from '../i18n/texts.ts'
import { showSuccess, showWarning } from './toast.ts'

/** False when the browser refuses; the reason goes to the browser console. */
async function writeClipboard(text: string): Promise<boolean> {
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
