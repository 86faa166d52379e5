import { isRoot } from '@tollgate/contract'

/** Root begins with $1 000 000 000, which stands for no limit until somebody lowers it. */
const UNLIMITED_FROM = 250_000_000_000_000

export const isUnlimited = ({ role, quota }: { role: number; quota: number }): boolean =>
  isRoot(role) && quota >= UNLIMITED_FROM
