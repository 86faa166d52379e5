import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { secondFactorEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { StateDot } from '../../ui/state-dot.tsx'
import type { FactorProps } from './authenticator.tsx'
import { Block } from './block.tsx'
import { hasFactor } from './queries.ts'

const CODES = 10
const FEW = 3

export function RecoveryCodes({ factor, onChange }: FactorProps) {
  const { t } = useTranslation()
  const left = factor.recovery_codes_left
  const isFew = left <= FEW
  const create = useMutation({
    // Returns no codes: the mutation cache would keep its result while the page is open.
    mutationFn: async () =>
      onChange((await call(secondFactorEndpoints.createRecoveryCodes, {})).data.recovery_codes),
  })
  const ask = async () => {
    const yes =
      left === 0 ||
      (await confirm({
        title: t('account.codes.newTitle'),
        body: t('account.codes.newBody'),
        verb: t('account.codes.newVerb'),
        danger: true,
      }))
    if (yes) create.mutate()
  }
  if (!hasFactor(factor)) {
    return <Block title={t('account.codes.title')} hint={t('account.codes.hintWithout')} />
  }
  return (
    <Block
      title={t('account.codes.title')}
      state={
        <StateDot
          tone={isFew ? 'slow' : 'good'}
          text={t('account.codes.left', { left, all: CODES })}
        />
      }
      hint={t(isFew ? 'account.codes.hintFew' : 'account.codes.hint')}
      action={
        <Button variant="default" loading={create.isPending} onClick={() => void ask()}>
          {t('account.codes.new')}
        </Button>
      }
    />
  )
}
