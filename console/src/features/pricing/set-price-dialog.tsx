import { Button, Stack, TextInput } from '@mantine/core'
import { z } from 'zod'
import { isExactPrice } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints, useZodForm } from '../../lib/form.ts'
import { useMoney } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { PRICES, saveOwnPrice } from './queries.ts'

const DOLLARS_MAX = 10_000

const isPrice = (text: string) =>
  /^\d+(?:\.\d+)?$/.test(text.trim()) && Number(text) <= DOLLARS_MAX && isExactPrice(Number(text))

const price = z.string().refine(isPrice, { error: 'pricing.unpriced.priceError' })
const priceForm = z.object({ input: price, output: price })

export function SetPriceDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  const { quotaPerUnit: unit } = useMoney()
  const form = useZodForm(priceForm, { input: '', output: '' })
  const hints = useHints(form)
  const saving = useChange(PRICES, saveOwnPrice)
  const submit = form.handleSubmit(({ input, output }) => {
    if (saving.isPending) return
    const own = { model, input: Number(input), output: Number(output) }
    saving.mutate(
      { price: own, unit },
      {
        onSuccess: () => {
          onClose()
          showSuccess(t('pricing.unpriced.saved', { model }))
        },
      },
    )
  })
  return (
    <FormDialog onClose={onClose} title={t('pricing.unpriced.setOf', { model })}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack gap="lg">
          {(['input', 'output'] as const).map((field) => (
            <TextInput
              key={field}
              label={t(`pricing.unpriced.${field}`)}
              inputMode="decimal"
              autoComplete="off"
              {...(field === 'input' && { 'data-autofocus': true })}
              {...form.register(field)}
              {...hints(field)}
            />
          ))}
          <Button type="submit" loading={saving.isPending}>
            {t('common.action.save')}
          </Button>
        </Stack>
      </form>
    </FormDialog>
  )
}
