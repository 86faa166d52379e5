import { expect, test } from 'vitest'
import { OPTIONS, ROLE, statusSchema } from '@tollgate/contract'
import { openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { DEFAULT_TERMS } from './default-terms.ts'

test('each field of the status is one public option, plus version and start, and none is secret', () => {
  const fields = Object.values(OPTIONS).flatMap((row) => ('public' in row ? [row.public] : []))
  expect(new Set(fields).size).toBe(fields.length)
  const both = Object.values(OPTIONS).filter((row) => 'secret' in row && 'public' in row)
  expect(both).toEqual([])
  expect(['version', 'start_time', ...fields].toSorted()).toEqual(
    Object.keys(statusSchema.shape).toSorted(),
  )
})

test('the built-in terms have a Markdown heading for each point', () => {
  for (const terms of Object.values(DEFAULT_TERMS)) {
    // Closing `**` has no effect between a full stop and a letter (CommonMark 6.2).
    expect(terms.match(/\*\*[^*]+[^*\p{P}]\*\*|\*\*[^*]+\*\* /gu)).toHaveLength(7)
  }
})

describePlane('public answers', [], ({ plane, kind }) => {
  test('the status has the defaults, with their types', async () => {
    const { data } = await plane.call('GET', '/api/status')
    expect(statusSchema.parse(data)).toMatchObject({
      version: 'v0.0.0',
      system_name: 'Tollgate',
      theme: 'auto',
      quota_per_unit: 500_000,
      display_in_currency: true,
      email_verification: false,
      github_oauth: false,
      lark_client_id: '',
      links: {},
    })
    expect(plane.clock.now / 1000).toBeGreaterThanOrEqual(statusSchema.parse(data).start_time)
  })

  test('a database that does not answer is a failure, until it answers', async () => {
    const error = new Error('connect ECONNREFUSED')
    let answers = false
    const checkDatabase = async () =>
      answers ? { answers, latencyMs: 1 } : { answers: false as const, error }
    const other = await openControlPlane(kind, { checkDatabase })
    expect(await other.call('GET', '/api/status')).toMatchObject({
      status: 503,
      success: false,
      message: 'The database does not answer. Try again shortly.',
    })
    answers = true
    expect(await other.call('GET', '/api/status')).toMatchObject({ status: 200, success: true })
    await other.close()
  })

  test('a change is in the status immediately, and no private option is', async () => {
    await plane.setOption('GitHubClientId', 'the client')
    await plane.setOption('GitHubClientSecret', 'the client secret')
    await plane.setOption('GitHubOAuthEnabled', 'true')
    await plane.setOption('SMTPServer', 'mail.inside')
    await plane.setOption('Links', '{"docs":"https://docs.example/"}')
    const { data, text } = await plane.call('GET', '/api/status')
    expect(data).toMatchObject({
      github_oauth: true,
      github_client_id: 'the client',
      links: { docs: 'https://docs.example' },
    })
    expect(text).not.toMatch(/the client secret|mail\.inside/)
  })

  test.each([
    ['/api/notice', 'Notice'],
    ['/api/about', 'About'],
    ['/api/home_page_content', 'HomePageContent'],
    ['/api/terms', 'Terms'],
  ] as const)('%s is the option %s unchanged', async (path, key) => {
    const text = '# Title\n<b onclick="x()">text</b> https://a.example'
    await plane.setOption(key, text)
    expect(await plane.call('GET', path)).toMatchObject({ status: 200, data: text })
    expect(await plane.call('GET', `${path}/`)).toMatchObject({ status: 200, data: text })
    await plane.setOption(key, '')
    for (const [language, terms] of Object.entries(DEFAULT_TERMS)) {
      const { data } = await plane.call('GET', path, { headers: { 'accept-language': language } })
      expect(data).toBe(key === 'Terms' ? terms : '')
    }
  })

  test('groups are those with a price, sorted, for administrators', async () => {
    await plane.setOption('GroupRatio', '{"vip":1,"default":1,"a b":2}')
    const as = await plane.addPerson(ROLE.admin)
    expect((await plane.call('GET', '/api/group/', { as })).data).toEqual(['a b', 'default', 'vip'])
  })
})
