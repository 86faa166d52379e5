import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { modelPriceEndpoints, type OwnPrice, PRICE_PARTS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirmLosses } from '../../lib/price-check.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { useRefusedFields } from '../../lib/use-refused-fields.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import { draftOf, type EditedRow, type PriceDraft, readDraft } from './price-draft.ts'
import classes from './pricing.module.css'
import { PRICES } from './queries.ts'

const FIELDS = [...PRICE_PARTS, 'per_call'] as const
const ALL_FIELDS = [...FIELDS, 'model', 'from']

type Props = {
  /** Null for a model that the list does not have. */
  row: EditedRow | null
  onClose: () => void
}

/** Sets a price of the operator's own, now or from a day on, or goes back to the list. */
export function ModelPriceDialog({ row, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const [draft, setDraft] = useState<PriceDraft>(() => draftOf(row))
  const [isSubmitted, setIsSubmitted] = useState(false)
  const { refused, forget, refOf } = useRefusedFields(ALL_FIELDS)
  const set = (field: keyof PriceDraft, text: string) => {
    setDraft((current) => ({ ...current, [field]: text }))
    forget()
  }
  const read = readDraft(draft)
  const error = (field: keyof PriceDraft) =>
    isSubmitted && read.problems.includes(field) ? t('pricing.model.error') : refused[field]
  const saving = useChange(
    PRICES,
    async (body: { model: string; price: OwnPrice; from?: string }) => {
      await confirmLosses({ model_price: { model: body.model, price: body.price } })
      return call(modelPriceEndpoints.setModelPrice, { body })
    },
  )
  const resetting = useChange(PRICES, async (model: string) => {
    await confirmLosses({ model_price: { model, price: null } })
    return call(modelPriceEndpoints.resetModelPrice, { body: { model } })
  })
  const done = (text: string) => () => {
    onClose()
    showSuccess(text)
  }
  const save = () => {
    setIsSubmitted(true)
    if (read.price === null) return
    const onSuccess = done(t('pricing.unpriced.saved', { model: read.price.model }))
    saving.mutate(read.price, { onSuccess })
  }
  const isPriced = row !== null && row.price !== null
  const hasOwn = isPriced && (row.layer === 'own' || row.planned.length > 0)
  return (
    <FormDialog
      onClose={onClose}
      title={
        row === null ? t('pricing.model.add') : t('pricing.unpriced.setOf', { model: row.model })
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!saving.isPending) save()
        }}
      >
        <Stack gap="sm">
          <p className={classes['dimmed']}>{t('pricing.model.unit')}</p>
          {row === null && (
            <TextInput
              ref={refOf('model')}
              label={t('pricing.unpriced.model')}
              value={draft.model}
              onChange={(event) => set('model', event.currentTarget.value)}
              error={error('model')}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          {FIELDS.map((field) => (
            <TextInput
              key={field}
              ref={refOf(field)}
              label={t(`pricing.model.field.${field}`)}
              value={draft[field]}
              onChange={(event) => set(field, event.currentTarget.value)}
              error={error(field)}
              inputMode="decimal"
              autoComplete="off"
              {...(row !== null && field === 'input' && { 'data-autofocus': true })}
            />
          ))}
          <TextInput
            ref={refOf('from')}
            type="date"
            label={t('pricing.model.fromDay')}
            description={t('pricing.model.fromHint')}
            value={draft.from}
            onChange={(event) => set('from', event.currentTarget.value)}
            error={error('from')}
          />
          <Group justify="space-between">
            <Button type="submit" loading={saving.isPending}>
              {t('common.action.save')}
            </Button>
            {hasOwn && (
              <Button
                variant="default"
                loading={resetting.isPending}
                onClick={() =>
                  resetting.mutate(row.model, {
                    onSuccess: done(t('pricing.model.resetDone', { model: row.model })),
                  })
                }
              >
                {t('pricing.model.reset')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
