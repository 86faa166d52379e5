import { z } from 'zod'
import { endpoint, idParams, pageFields } from './endpoint.ts'
import { TOKEN_STATUS, tokenSchema } from './token.ts'
import { id, idText } from './units.ts'

/** A shorter part belongs to too many keys. */
export const KEY_PART_MIN = 6

/** A token as an administrator sees it: without its key, and with its owner. */
export const userTokenSchema = tokenSchema
  .pick({
    id: true,
    user_id: true,
    status: true,
    name: true,
    created_time: true,
    accessed_time: true,
    expired_time: true,
    remain_quota: true,
    unlimited_quota: true,
    used_quota: true,
  })
  .extend({
    username: z.string(),
    /** The first and the last two characters of the key. */
    key_hint: z.string(),
  })

export type UserToken = z.output<typeof userTokenSchema>

export const USER_TOKEN_SORTS = ['id', 'name', 'used_quota', 'accessed_time'] as const

const owner = idText.exactOptional()

export const userTokenEndpoints = {
  /** Tokens of accounts that the caller may manage, or of one of them. */
  listUserTokens: endpoint('GET', '/api/user-token/', 'admin', {
    query: z.object({ ...pageFields(USER_TOKEN_SORTS), user_id: owner }),
    data: z.array(userTokenSchema),
  }),
  /**
   * A keyword is a part of a name. A keyword that begins with `sk-` is a key or its beginning, with
   * its end after `…` if the key is masked. If no name contains the keyword, it is any part of a
   * key. At most `SEARCH_ROWS_MAX` tokens. Keys do not belong in addresses, so the method is POST.
   */
  findUserTokens: endpoint('POST', '/api/user-token/find', 'admin', {
    body: z.object({
      keyword: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .meta({ examples: ['web shop'] }),
      user_id: id.exactOptional(),
    }),
    data: z.array(userTokenSchema),
  }),
  setUserTokenStatus: endpoint('PUT', '/api/user-token/', 'admin', {
    body: z.object({
      id,
      status: z.literal([TOKEN_STATUS.enabled, TOKEN_STATUS.disabled]),
    }),
    data: userTokenSchema,
  }),
  /** The key stops working at once. */
  revokeUserToken: endpoint('DELETE', '/api/user-token/:id', 'admin', { params: idParams }),
} as const
