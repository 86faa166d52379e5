import { Switch } from '@mantine/core'
import type { OptionKey } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatList } from '../../lib/format.ts'
import { useManagedOption } from '../../lib/managed.ts'
import { missingNeeds } from './drafts.ts'
import { labelOf } from './field-props.ts'
import { ManagedOption } from './managed-option.tsx'
import { useOptionContext } from './option-context.ts'
import { useFlipOption } from './queries.ts'
import { useOptionHint } from './use-option-hint.tsx'

export function OptionSwitch({ name }: { name: OptionKey }) {
  const { t } = useTranslation()
  const { stored } = useOptionContext()
  const hint = useOptionHint(name)
  const mark = useManagedOption(name)
  const flip = useFlipOption(name, t('common.toast.done'))
  const isOn = stored[name] === 'true'
  const missing = isOn ? [] : missingNeeds(name, stored)
  const reason = t('settings.switch.needs', {
    names: formatList(missing.map(labelOf), currentLanguage()),
  })
  const own = missing.length > 0 ? reason : hint
  const description =
    mark === null ? (
      own
    ) : (
      <>
        {own}
        <ManagedOption mark={mark} />
      </>
    )
  const change = async (next: boolean) => {
    if (name === 'PasswordLoginEnabled' && !next) {
      const yes = await confirm({
        title: t('settings.switch.passwordTitle'),
        body: t('settings.switch.passwordBody'),
        verb: t('settings.switch.passwordVerb'),
        danger: true,
      })
      if (!yes) return
    }
    flip.mutate(next)
  }
  return (
    <Switch
      label={labelOf(name)}
      checked={isOn}
      disabled={missing.length > 0 || mark?.isLocked === true}
      description={description}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  )
}
