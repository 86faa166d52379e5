import type { Status } from '@tollgate/contract'

/** The ways to sign in besides the password, as the server offers them; Lark has no switch. */
export const offeredWays = (status: Status | undefined) => [
  ...(status?.github_oauth ? (['github'] as const) : []),
  ...(status?.oidc ? (['oidc'] as const) : []),
  ...(status?.lark_client_id ? (['lark'] as const) : []),
  ...(status?.wechat_login ? (['wechat'] as const) : []),
]

export type Way = ReturnType<typeof offeredWays>[number]
