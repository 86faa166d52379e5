import { AppError } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'

const KEYS_MAX = 500

/** Parses the keys of a form, one per line, without blank lines and duplicates. */
export function parseKeys(text: string, type: number): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  // Headers allow printable ASCII only; such a key would fail on first use.
  const broken = lines.findIndex((line) => /[^\x21-\x7e]/.test(line))
  if (broken !== -1) throw new AppError('key_line_invalid', { line: broken + 1 })
  const { keyPattern, keyFormat: format = '' } = descriptorOf(type) ?? {}
  const malformed = lines.findIndex((line) => line !== '' && keyPattern?.test(line) === false)
  if (malformed !== -1) throw new AppError('key_form_invalid', { line: malformed + 1, format })
  const keys = [...new Set(lines.filter((line) => line !== ''))]
  if (keys.length > KEYS_MAX)
    throw new AppError('too_many_items', { field: 'key', limit: KEYS_MAX })
  return keys
}
