import ipaddr from 'ipaddr.js'
import { AppError } from '@tollgate/contract'
import { commaList } from '../comma-list.ts'

export type TokenInput = {
  expired_time: number
  unlimited_quota: boolean
  models: string
  subnet: string
}

/** Columns of the owner's settings except the name. Lists are trimmed and deduplicated. */
export function tokenSettings({ expired_time, unlimited_quota, models, subnet }: TokenInput) {
  return {
    expired_time,
    unlimited_quota: unlimited_quota ? 1 : 0,
    models: requireWholeNames(models),
    subnet: requireRanges(subnet),
  } as const
}

/** A pattern would match nothing. */
function requireWholeNames(models: string): string {
  const names = commaList(models)
  const pattern = names.find((name) => name.includes('*'))
  if (pattern === undefined) return names.join(',')
  throw new AppError('invalid_field', {
    field: 'models',
    problem: {
      en: `must be whole names of models; "${pattern}" is a pattern`,
      zh: `须为完整的模型名称，不能使用通配符，如“${pattern}”`,
    },
  })
}

/** No address contains one of these; names of models may. */
const RANGE_ENDS = /[,，、;；\r\n]/

function requireRanges(subnet: string): string {
  const ranges = commaList(subnet, RANGE_ENDS)
  const wrong = ranges.find((range) => !ipaddr.isValidCIDR(range) && !ipaddr.isValid(range))
  if (wrong === undefined) return ranges.join(',')
  throw new AppError('subnet_invalid', { range: wrong })
}
