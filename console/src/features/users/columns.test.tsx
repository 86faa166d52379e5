import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { User } from '@tollgate/contract'
import { columns } from './columns.tsx'

const user = (change: Partial<User>): User => ({
  id: 2,
  username: 'alice',
  display_name: '',
  role: 1,
  status: 1,
  email: '',
  github_id: '',
  wechat_id: '',
  lark_id: '',
  oidc_id: '',
  quota: 0,
  quota_leased: 0,
  used_quota: 0,
  request_count: 0,
  group: '',
  aff_code: '',
  inviter_id: 0,
  invite_balance: 0,
  created_time: 0,
  second_factor: false,
  days_left: null,
  ...change,
})

const show = (id: string, change: Partial<User>) =>
  renderToStaticMarkup(columns.find((column) => column.id === id)?.cell(user(change)))

test('a username is cut after 15 characters and complete on hover', () => {
  const username = 'one-and-twenty-letter'
  const markup = show('username', { username })
  expect(markup).toContain('>one-and-twenty-…<')
  expect(markup).toContain(`title="${username}"`)
  expect(show('username', { username: 'exactly-fifteen' })).toContain('>exactly-fifteen<')
})

test('requests are abbreviated, the exact number on hover', () => {
  expect(show('request_count', { request_count: 12_345 })).toBe('<span title="12,345">12.3k</span>')
})
