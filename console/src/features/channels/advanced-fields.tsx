import { Anchor, Checkbox, Group, TagsInput, Textarea } from '@mantine/core'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { APIS } from '@tollgate/contract/channel-settings'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { basePath } from '../../lib/base-path.ts'
import { useHints } from '../../lib/form.ts'
import './advanced.messages.ts'
import type { ChannelValues } from './channel-values.ts'
import classes from './channels.module.css'
import { HeaderRows } from './header-rows.tsx'
import { ruleBrokenBy } from './override-rules.ts'

const DOCUMENTATION = `${basePath}/api/docs`

const EXAMPLES = {
  set_parameters: '{"temperature": 0.6, "thinking.type": "disabled"}',
  card: '{"my-model*": {"reasoning": {"efforts": ["low", "high"]}}}',
  cost: '{"factor": 0.8}',
} as const

const TEXTS = ['set_parameters', 'remove_parameters', 'card', 'cost'] as const

/** Other types have a single API for text. */
const hasSeveralApis = (type: number) =>
  ['openai', 'azure'].includes(descriptorOf(type)?.dialect ?? '')

type Props = { form: UseFormReturn<ChannelValues, unknown, ChannelValues> }

/** Headers, parameters, APIs, model facts and the cost of a channel. */
export function AdvancedFields({ form }: Props) {
  const { t } = useTranslation()
  const hints = useFieldHints(form)
  const textarea = (name: keyof typeof EXAMPLES, label: string, hint: string) => (
    <Textarea
      label={label}
      className={classes['code'] ?? ''}
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      placeholder={EXAMPLES[name]}
      {...form.register(name)}
      {...hints(name, hint)}
    />
  )
  return (
    <div className={classes['advancedFields']}>
      <p className={classes['advancedHint']}>
        {t('advanced.field.hint')}{' '}
        <Anchor href={DOCUMENTATION} target="_blank" rel="noreferrer" underline="always" inherit>
          {t('advanced.field.documentation')}
        </Anchor>
      </p>
      <Controller
        control={form.control}
        name="headers"
        render={({ field }) => <HeaderRows field={field} errors={form.formState.errors.headers} />}
      />
      {textarea('set_parameters', t('advanced.field.set'), t('advanced.field.setHint'))}
      <Controller
        control={form.control}
        name="remove_parameters"
        render={({ field }) => (
          <TagsInput
            label={t('advanced.field.remove')}
            acceptValueOnBlur
            {...field}
            {...hints('remove_parameters', t('advanced.field.removeHint'))}
          />
        )}
      />
      {hasSeveralApis(form.watch('type')) && (
        <Controller
          control={form.control}
          name="apis"
          render={({ field: { value, onChange } }) => (
            <Checkbox.Group
              label={t('advanced.field.apis')}
              description={t('advanced.field.apisHint')}
              value={value}
              onChange={onChange}
            >
              <Group gap="lg" my={4}>
                {APIS.map((api) => (
                  <Checkbox key={api} value={api} label={t(`advanced.field.${api}`)} />
                ))}
              </Group>
            </Checkbox.Group>
          )}
        />
      )}
      {textarea('card', t('advanced.field.card'), t('advanced.field.cardHint'))}
      {textarea('cost', t('advanced.field.cost'), t('advanced.field.costHint'))}
    </div>
  )
}

/** Names the rule of the contract that a field breaks. */
function useFieldHints(form: Props['form']) {
  const hints = useHints(form)
  return (name: (typeof TEXTS)[number], hint: string) => {
    const shown = hints(name, hint)
    if (form.formState.errors[name]?.message !== 'advanced.field.ruleBroken') return shown
    return { ...shown, error: ruleBrokenBy(name, form.getValues(), currentLanguage()) }
  }
}
