/** The columns of a user without a balance. */
export const userRow = <Parts extends object>(username: string, parts: Parts) => ({
  username,
  password_hash: '',
  display_name: username,
  role: 1,
  status: 1,
  email: '',
  github_id: '',
  wechat_id: '',
  access_token_hash: null,
  group: 'default',
  aff_code: username,
  inviter_id: 0,
  created_time: 0,
  ...parts,
})
