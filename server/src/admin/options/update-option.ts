import { AppError, isOptionKey, type Language } from '@tollgate/contract'
import { hasSecondFactor } from '../../store/second-factors.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

export async function updateOption(
  deps: AdminDeps,
  context: CallerContext & { language: Language },
  { key, value }: { key: string; value: string },
) {
  if (!isOptionKey(key)) throw new AppError('option_not_found', { key })
  await deps.settings.update(
    { key, value },
    {
      actor: context.caller,
      language: context.language,
      nowSeconds: nowSeconds(deps),
      check: async (tx) => {
        const { id } = await reauthorize(tx, deps, context)
        // Administrators must not lock themselves out.
        const isRequired = key === 'SecondFactorRequired' && value.trim() === 'true'
        if (isRequired && !(await hasSecondFactor(tx, id))) {
          throw new AppError('own_second_factor_first')
        }
      },
    },
  )
}
