import { beforeAll, expect, test } from 'vitest'
import { type Language, LOG_TYPE, ROLE } from '@tollgate/contract'
import { CHARGE_BASIS } from '../../../testing/worlds/charge-basis.ts'
import { type Person, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'
import { insertNote } from '../../store/logs.ts'

const SAID = {
  en: 'An administrator changed the quota from $1.000000 to $2.000000',
  zh: '管理员将用户额度从 ＄1.000000 额度修改为 ＄2.000000 额度',
} as const

describePlane('the language of the log', ['admin'], ({ plane, admin }) => {
  let user: Person

  beforeAll(async () => {
    user = await plane.addPerson(ROLE.user, 500_000)
    const body = { id: user.id, quota: 1_000_000 }
    const headers = { 'accept-language': 'zh-CN' }
    await plane.call('PUT', '/api/user/', { as: admin, body, headers })
  })

  const read = (url: string, as: Person, language: Language) =>
    plane.call('GET', url, { as, headers: { 'accept-language': language } })

  const listsOf = (keyword: string) => [
    ['/api/log/', admin] as const,
    [`/api/log/search?keyword=${encodeURIComponent(keyword)}`, admin] as const,
    ['/api/log/self', user] as const,
    [`/api/log/self/search?keyword=${encodeURIComponent(keyword)}`, user] as const,
  ]

  test('a row is shown in the language of its reader, not of its author', async () => {
    for (const language of ['en', 'zh'] as const) {
      for (const found of [SAID.en.slice(0, 16), SAID.zh.slice(0, 6)]) {
        for (const [url, as] of listsOf(found)) {
          const [row, ...others] = rowsOf(await read(url, as, language))
          expect([row?.['content'], others], url).toEqual([SAID[language], []])
          expect(row).not.toHaveProperty('content_zh')
          const receipt = await read(`/api/log/${Number(row?.['id'])}/receipt`, as, language)
          expect(receipt.data).toMatchObject({ content: SAID[language] })
        }
      }
    }
  })

  const CHARGED = {
    en: 'model ratio 1.25, completion ratio 4, group ratio 1',
    zh: '模型倍率 1.25，分组倍率 1，补全倍率 4',
  } as const

  test.each([
    ['of this release', '', CHARGE_BASIS, CHARGED],
    ['of former releases, which store the sentence', CHARGED.en, CHARGE_BASIS, CHARGED],
    ['with a sentence and a broken basis', 'as sent', '{', { en: 'as sent', zh: 'as sent' }],
    ['with a broken basis alone', '', { ...CHARGE_BASIS, group_ratio: 'x' }, { en: '', zh: '' }],
  ])(
    'a charge %s is shown in the language of its reader',
    async (_which, content, basis, shown) => {
      const note = { user_id: user.id, username: user.username, type: LOG_TYPE.topup } as const
      await plane.database.transaction((tx) => insertNote(tx, { ...note, content, created_at: 2 }))
      const id = (await storedRows(plane, 'logs')).at(-1)?.id ?? 0
      const stored = typeof basis === 'string' ? basis : JSON.stringify(basis)
      await setRow(plane, 'logs', id, { basis: stored })
      const usage_source = basis === CHARGE_BASIS ? 'reported' : ''
      for (const language of ['en', 'zh'] as const) {
        const rows = rowsOf(await read('/api/log/self?type=1', user, language))
        const expected = { id, content: shown[language], usage_source }
        expect(rows.filter((row) => row['id'] === id)).toMatchObject([expected])
        const receipt = await read(`/api/log/${id}/receipt`, user, language)
        expect(receipt.data).toMatchObject(expected)
      }
    },
  )

  test('free text and rows of earlier versions are shown unchanged', async () => {
    const note = { user_id: user.id, username: user.username, type: LOG_TYPE.manage } as const
    await plane.database.transaction((tx) =>
      insertNote(tx, { ...note, content: '通过兑换码充值', created_at: 1 }),
    )
    for (const language of ['en', 'zh'] as const) {
      const [row] = rowsOf(await read('/api/log/self?size=1', user, language))
      expect(row).toMatchObject({ content: '通过兑换码充值' })
    }
  })
})
