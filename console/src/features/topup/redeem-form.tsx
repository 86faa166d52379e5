import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { GIFT_PERCENT, redeeming, topUpEndpoints } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { CallError } from '../../lib/call.ts'
import { pastedCode, visibleText } from '../../lib/codes.ts'
import { checked, useHints, useZodForm } from '../../lib/form.ts'
import { formatQuota } from '../../lib/format.ts'
import { selfQuery } from '../../lib/self.ts'
import { useMoney } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'

const { key, gift_code } = redeeming.shape

/** Codes have 32 characters. Lists of them are pasted as a line. */
const SEVERAL_CODES = /(?:[0-9a-z]{32}\s*){2}/i

const severalCodes = { error: 'topup.code.several' satisfies MessageKey }

const redeemForm = z.object({
  key: z
    .string()
    .refine((text) => !SEVERAL_CODES.test(visibleText(text)), { ...severalCodes, abort: true })
    .pipe(checked(key, 'topup.code.keyError')),
  gift_code: checked(gift_code.unwrap(), 'topup.code.giftError'),
})

const EMPTY = { key: '', gift_code: '' }

export function RedeemForm() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const money = useMoney()
  const form = useZodForm(redeemForm, EMPTY)
  const hints = useHints(form)
  const redeem = useMutation({
    mutationFn: async (typed: z.output<typeof redeemForm>) => {
      const body = { key: pastedCode(typed.key), gift_code: pastedCode(typed.gift_code ?? '') }
      try {
        return await call(topUpEndpoints.redeem, { body })
      } catch (cause) {
        if (!(cause instanceof CallError) || cause.failure.kind !== 'network') throw cause
        throw new Error(t('topup.code.failed'), { cause })
      }
    },
    onSuccess: async ({ data }) => {
      form.reset(EMPTY)
      showSuccess(t('topup.code.done', { quota: formatQuota(data, money) }))
      await client.invalidateQueries({ queryKey: selfQuery.queryKey })
    },
  })
  return (
    <form
      noValidate
      onSubmit={form.handleSubmit((values) => {
        if (!redeem.isPending) redeem.mutate(values)
      })}
    >
      <Stack gap="lg" align="stretch">
        <TextInput
          label={t('topup.code.key')}
          autoComplete="off"
          spellCheck={false}
          {...form.register('key')}
          {...hints('key')}
        />
        <TextInput
          label={t('topup.code.gift')}
          autoComplete="off"
          spellCheck={false}
          {...form.register('gift_code')}
          {...hints('gift_code', t('topup.code.giftHint', { percent: GIFT_PERCENT }))}
        />
        <div>
          <Button type="submit" loading={redeem.isPending}>
            {t('topup.code.redeem')}
          </Button>
        </div>
      </Stack>
    </form>
  )
}
