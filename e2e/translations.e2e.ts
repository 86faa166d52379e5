import { test } from 'vitest'
import { BAD_DAY_TEXTS } from './bad-days-texts.ts'
import { FRAME_TEXTS } from './frame-texts.ts'
import { FACTOR_TEXTS } from './second-factor-texts.ts'
import { SETTINGS_TEXTS } from './settings-texts.ts'
import { SIGN_IN_TEXTS } from './sign-in-texts.ts'
import { TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'

test.each([
  ['of a bad day', BAD_DAY_TEXTS, []],
  ['of a second factor', FACTOR_TEXTS, []],
  ['of the frame', FRAME_TEXTS, ['Loading chunk opened-menu failed.']],
  [
    'of the settings',
    SETTINGS_TEXTS,
    [
      'The value must be at most 10.',
      'The value must be an address that begins with http:// or https://.',
    ],
  ],
  ['of a login', SIGN_IN_TEXTS, ['Copy: New password', 'An error occurred, retry 7 of 3']],
  ['of every test', TEXTS, ['Top-up code']],
] as const)('the texts %s are the same messages in both languages', (_name, table, besides) =>
  expectTranslated(table, besides),
)
