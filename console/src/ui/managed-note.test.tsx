import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { showLanguage } from '../i18n/texts.ts'
import { ManagedNote } from './managed-note.tsx'

afterEach(() => showLanguage('en'))

test('managed names are separated in both languages', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const mark = { file: 'tollgate.yaml', isLocked: true, names }
  const note = () => renderToStaticMarkup(<ManagedNote mark={mark} />)
  expect(note()).toContain('tollgate.yaml: a, b, c, d, e and 2 more.')
  showLanguage('zh')
  expect(note()).toContain('tollgate.yaml 管理：a、b、c、d、e 以及另外 2 项。')
})
