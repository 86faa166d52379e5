import { expect, test, vi } from 'vitest'
import { showError, showInfo, showNotice, showSuccess, showWarning } from './toast.ts'

const shown = vi.hoisted((): { tone: string; autoClose: unknown }[] => [])

vi.mock('react-toastify', () => {
  const note = (tone: string) => (_: unknown, options: { autoClose: unknown }) =>
    shown.push({ tone, autoClose: options.autoClose })
  const tones = ['success', 'info', 'error', 'warning'].map((tone) => [tone, note(tone)])
  return { toast: Object.assign(note('notice'), Object.fromEntries(tones)) }
})

test('each kind of toast has its duration; a notice stays', async () => {
  showSuccess('a')
  showInfo('b')
  showError('c')
  showWarning('d')
  showNotice('e', 'notice-1', () => {})
  await expect
    .poll(() => shown)
    .toEqual([
      { tone: 'success', autoClose: 1500 },
      { tone: 'info', autoClose: 3000 },
      { tone: 'error', autoClose: 5000 },
      { tone: 'warning', autoClose: 10_000 },
      { tone: 'notice', autoClose: false },
    ])
})
