import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { listDocumented, OPTIONS, ROLE } from '@tollgate/contract'
import { idsOf, openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'
import { describeEndpoints } from './describe.ts'
import { exampleOf } from './examples.ts'
import { fieldRule } from './field-rule.ts'
import { createPage } from './page.ts'
import { RESOURCE_TITLES } from './summaries.ts'

const operationSchema = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  'x-access': z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean() })),
  requestBody: z.looseObject({}).optional(),
  responses: z.record(z.string(), z.unknown()),
})
const changeSchema = z.object({
  content: z.object({ 'application/json': z.object({ example: z.looseObject({}) }) }),
})
const documentSchema = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
})

describeWorld(openControlPlane, 'the API document', (plane) => {
  let text: string

  beforeAll(async () => {
    text = (await plane.call('GET', '/api/openapi.json')).text
  })

  const operation = (method: string, path: string) => {
    const found = documentSchema.parse(JSON.parse(text)).paths[path]?.[method]
    if (!found) throw new Error(`no ${method} ${path}`)
    return found
  }

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate(JSON.parse(text))
    expect(result).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  test('has exactly the endpoints of the table', () => {
    const { paths } = documentSchema.parse(JSON.parse(text))
    const written = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    )
    const declared = listDocumented().map(
      ({ name, endpoint }) => `${name} ${endpoint.method} ${endpoint.path.replace(':id', '{id}')}`,
    )
    expect(written.toSorted()).toEqual(declared.toSorted())
  })

  test('states who may call, the input and the output', () => {
    const edit = operation('put', '/api/token/')
    expect(edit['x-access']).toBe('user')
    expect(edit.security).toEqual([{ accessToken: [] }, { session: [] }])
    expect(edit.parameters).toMatchObject([{ name: 'status_only', in: 'query', required: false }])
    expect(JSON.stringify(edit.requestBody)).toContain('"remain_quota"')
    expect(Object.keys(edit.responses)).toEqual(['200', '401', '403', '413', '429', '500', '503'])
    const one = operation('get', '/api/channel/{id}')
    expect(one.parameters).toMatchObject([{ name: 'id', in: 'path', required: true }])
    expect(Object.keys(one.responses)).toEqual(['200', '401', '429', '500', '503'])
    expect(operation('post', '/api/user/login').security).toEqual([])
    const list = operation('get', '/api/user/').responses
    const tested = operation('get', '/api/channel/test/{id}').responses
    const { requestBody } = operation('post', '/api/user/')
    expect(JSON.stringify(list)).toContain('X-Total-Count')
    expect(JSON.stringify(tested)).toContain('"modelName"')
    expect(JSON.stringify(requestBody)).toContain('1 to 12 characters')
  })

  test('a relay key authenticates the billing queries, under both paths and without an envelope', () => {
    const usage = operation('get', '/dashboard/billing/usage')
    expect(usage['x-access']).toBe('relay_key')
    expect(usage.security).toEqual([{ relayKey: [] }])
    expect(usage['servers']).toEqual([{ url: '/' }, { url: '/v1' }])
    expect(JSON.stringify(usage.responses['200'])).toContain('"total_usage"')
    expect(JSON.stringify(usage.responses['200'])).not.toContain('"success"')
    expect(JSON.stringify(usage.responses['401'])).toContain('#/components/schemas/Error')
    expect(createPage('en')).toContain('The same under /v1/dashboard/billing/usage')
  })

  test('is public, may be cached, and holds no secret and no default of one', async () => {
    const { status, headers } = await plane.call('GET', '/api/openapi.json/')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['cache-control']).toBe('public, max-age=300')
    const secrets = Object.entries(OPTIONS).filter(([, row]) => 'secret' in row)
    for (const [key] of secrets) expect(text).not.toContain(key)
  })

  test('states which endpoints need a confirmation, and which accept no access token', () => {
    const token = operation('get', '/api/user/token')
    expect(token).toMatchObject({ 'x-needs-confirmation': true })
    expect(token.security).toContainEqual({ accessToken: [] })
    const totp = operation('post', '/api/user/2fa/totp')
    expect(totp).toMatchObject({ 'x-needs-confirmation': true, security: [{ session: [] }] })
    expect(operation('get', '/api/user/self')).not.toHaveProperty('x-needs-confirmation')
    expect(createPage('en')).toContain('confirmed within the last ten minutes')
    expect(createPage('zh')).toContain('不接受访问令牌')
  })

  test('gives examples that the endpoints accept', () => {
    const schemas = new Map(listDocumented().map(({ name, endpoint }) => [name, endpoint.parts]))
    for (const { name, body = {}, query = {} } of describeEndpoints()) {
      const { body: ofBody, query: ofQuery } = schemas.get(name) ?? {}
      for (const parsed of [
        ofBody?.safeParse(exampleOf(body, 'required')),
        ofBody?.safeParse(exampleOf(body, 'all')),
        ofQuery?.safeParse(exampleOf(query, 'required')),
      ]) {
        expect(parsed?.error?.issues, name).toBeUndefined()
      }
    }
  })

  test('states the meaning of paging fields, and the maximum of rows', () => {
    const list = JSON.stringify(operation('get', '/api/user/').parameters)
    expect(list).toContain('"description":"how many rows, 10 by default, at most 100"')
    expect(list).not.toContain('"zh"')
    expect(createPage('zh')).toContain('行数，默认 10，最多 100')
    expect(createPage('en')).toContain('how many rows, 10 by default, at most 100')
    expect(createPage('en')).toContain('which way it is sorted')
    expect(createPage('en')).toContain('the column to sort by')
    expect(JSON.stringify(operation('put', '/api/token/').parameters)).toContain('only the status')
  })

  test.each([
    ['/api/user/self', true],
    ['/api/oauth/github', false],
  ])('an answer of %s has data: %s', (path, hasData) => {
    const answer = JSON.stringify(operation('get', path).responses['200'])
    expect(answer.includes('"required":["success","message","data"]')).toBe(hasData)
  })

  test('examples of changes are accepted unchanged, and give no money and no password', async () => {
    const as = await plane.addPerson(ROLE.admin)
    const user = await plane.addPerson(ROLE.user, 1000)
    const token = await plane.addToken(as)
    await plane.call('POST', '/api/redemption/', { as, body: { name: 'first', quota: 1 } })
    const [code = 0] = idsOf(await plane.call('GET', '/api/redemption/', { as }))
    const channel = await plane.addChannel(as)
    const secrets = () =>
      Promise.all([
        plane.database.kysely.selectFrom('users').select(['password_hash', 'quota']).execute(),
        plane.database.kysely.selectFrom('channels').select('key_sealed').execute(),
      ])
    const before = await secrets()
    for (const [path, id] of [
      ['/api/token/', token],
      ['/api/redemption/', code],
      ['/api/user/', user.id],
      ['/api/user/self', undefined],
      ['/api/channel/', channel],
    ] as const) {
      const shown = changeSchema.parse(operation('put', path).requestBody)
      const body = { ...shown.content['application/json'].example, ...(id && { id }) }
      expect(Object.keys(body).filter((name) => /seen|edit_id|password/.test(name))).toEqual([])
      const { success, message } = await plane.call('PUT', path, { as, body })
      expect([success, message], path).toEqual([true, ''])
    }
    expect(await secrets()).toEqual(before)
  })

  test('the example of an option change names an existing option and a valid value', async () => {
    const body = describeEndpoints().find(({ name }) => name === 'updateOption')?.body ?? {}
    const as = await plane.addPerson(ROLE.root)
    const example = exampleOf(body, 'required')
    const { success } = await plane.call('PUT', '/api/option/', { as, body: example })
    expect([example, success]).toEqual([{ key: 'RegisterEnabled', value: 'true' }, true])
  })

  test('the page for readers shows every endpoint and loads nothing external', async () => {
    for (const language of ['en', 'zh']) {
      const headers = { 'accept-language': language }
      const page = await plane.call('GET', '/api/docs', { headers })
      expect(page.status).toBe(200)
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.headers['vary']).toMatch(/Accept-Language/i)
      expect(page.text).toContain(language === 'zh' ? '本站 API 文档' : 'API of this server')
      for (const { name } of listDocumented()) expect(page.text).toContain(`id="${name}"`)
      for (const title of Object.values(RESOURCE_TITLES)) {
        expect(page.text).toContain(title[language === 'zh' ? 'zh' : 'en'])
      }
      expect(page.text).not.toMatch(/<script|<link|<img|@import|url\(|\son\w+=|javascript:/i)
      const links = [...page.text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link)
      expect(links.every((link) => link?.startsWith('#') || link === '/api/openapi.json')).toBe(
        true,
      )
    }
  })

  test('the Chinese page describes endpoints and rules of fields in Chinese', () => {
    const told = (language: 'en' | 'zh') =>
      describeEndpoints(language).flatMap(({ summary, body }) => [
        summary,
        ...Object.values(body?.properties ?? {}).flatMap((field) =>
          typeof field === 'object' && field.description !== undefined ? [field.description] : [],
        ),
      ])
    for (const text of told('zh')) expect(text).toMatch(/\p{Script=Han}/u)
    for (const text of told('en')) expect(text).not.toMatch(/\p{Script=Han}/u)
    expect(told('zh').length).toBe(told('en').length)
    expect(told('zh').length).toBeGreaterThan(listDocumented().length)
  })

  test('a field has its type and limits', () => {
    const rule = (schema: z.ZodType) => fieldRule(z.toJSONSchema(schema), 'characters')
    expect(rule(z.int().min(1).max(100))).toBe('integer, 1 – 100')
    expect(rule(z.int().positive())).toBe('integer, ≥ 1')
    expect(rule(z.int().max(5))).toBe('integer, ≤ 5')
    expect(rule(z.string().min(1).max(9))).toBe('string, 1 – 9 characters')
    expect(rule(z.string().max(9))).toBe('string, ≤ 9 characters')
    expect(rule(z.string().min(2))).toBe('string, ≥ 2 characters')
    expect(rule(z.enum(['a', 'b']))).toBe('"a" | "b"')
    expect(rule(z.union([z.literal(-1), z.int().min(0)]))).toBe('-1 | integer, ≥ 0')
    expect(rule(z.array(z.boolean()))).toBe('array of boolean')
    expect(fieldRule(undefined, 'characters')).toBe('')
  })
})
