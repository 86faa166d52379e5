import { expect, test } from 'vitest'
import { type Status, statusSchema } from '@tollgate/contract'
import { offeredWays } from './offered-ways.ts'

const NOTHING: Partial<Status> = {
  github_oauth: false,
  oidc: false,
  lark_client_id: '',
  wechat_login: false,
}

const statusWith = (part: Partial<Status>) =>
  // Safe because only the fields given here are read.
  ({ ...NOTHING, ...part }) as Status

test('offers nothing before the status is known, nor what is switched off', () => {
  expect(offeredWays(undefined)).toEqual([])
  expect(offeredWays(statusWith({ github_client_id: 'left over', oidc_client_id: 'x' }))).toEqual(
    [],
  )
})

test('offers each way by the field of the status that stands for it', () => {
  expect(Object.keys(statusSchema.shape)).toEqual(expect.arrayContaining(Object.keys(NOTHING)))
  expect(offeredWays(statusWith({ github_oauth: true }))).toEqual(['github'])
  expect(offeredWays(statusWith({ oidc: true }))).toEqual(['oidc'])
  expect(offeredWays(statusWith({ lark_client_id: 'cli_1' }))).toEqual(['lark'])
  expect(offeredWays(statusWith({ wechat_login: true }))).toEqual(['wechat'])
})
