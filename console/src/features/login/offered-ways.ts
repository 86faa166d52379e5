import type { Status } from '@tollgate/contract'

/** External login methods the server offers. Lark has no switch; its client id enables it. */
export const offeredWays = (status: Status | undefined) => [
  ...(status?.github_oauth ? (['github'] as const) : []),
  ...(status?.oidc ? (['oidc'] as const) : []),
  ...(status?.lark_client_id ? (['lark'] as const) : []),
  ...(status?.wechat_login ? (['wechat'] as const) : []),
]

export type Way = ReturnType<typeof offeredWays>[number]
