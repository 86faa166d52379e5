import { afterEach, expect, test } from 'vitest'
import { optionKeys, OPTIONS } from '@tollgate/contract'
import { showLanguage } from '../../i18n/texts.ts'
import { choiceName } from './choice-name.ts'
import { optionChoices } from './number-limits.ts'

afterEach(() => showLanguage('en'))

test('no choice shows a word of the API in Chinese', () => {
  showLanguage('zh')
  const choices = optionKeys
    .filter((key) => OPTIONS[key].editor === 'choice')
    .flatMap((key) => optionChoices(key).map((value) => choiceName(key, value)))
  expect(choices).toEqual(['503', '404', '收费', '不收费', '换用其他渠道重试'])
})
