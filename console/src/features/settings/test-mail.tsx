import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { emailAddress, optionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { selfQuery } from '../../lib/self.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useRefusedFields } from '../../lib/use-refused-fields.ts'
import { useOptionContext } from './option-context.ts'
import classes from './settings.module.css'

const FIELDS = ['to']

/** Sends a test mail with the saved settings and shows the mail server's answer. */
export function TestMail() {
  const { t } = useTranslation()
  const { stored } = useOptionContext()
  const self = useQuery(selfQuery)
  const [typed, setTyped] = useState<string | null>(null)
  const [isWrong, setIsWrong] = useState(false)
  const { refused, forget, focus, refOf } = useRefusedFields(FIELDS)
  const to = typed ?? self.data?.email ?? ''
  const isUnset = stored['SMTPServer'] === ''
  const send = useMutation({
    mutationFn: () => call(optionEndpoints.sendTestMail, { body: { to: to.trim() } }),
    onSuccess: () => showSuccess(t('settings.mail.sent', { to: to.trim() })),
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const isAddress = emailAddress.safeParse(to.trim()).success
    setIsWrong(!isAddress)
    if (!isAddress) focus('to')
    else if (!send.isPending) send.mutate()
  }
  return (
    <form noValidate className={classes['action']} onSubmit={submit}>
      <div className={classes['inline']}>
        <TextInput
          ref={refOf('to')}
          type="email"
          label={t('settings.mail.to')}
          value={to}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setIsWrong(false)
            forget()
          }}
          error={isWrong ? t('settings.mail.wrong') : refused['to']}
          autoComplete="email"
        />
        <Button type="submit" variant="default" disabled={isUnset} loading={send.isPending}>
          {t('settings.mail.button')}
        </Button>
      </div>
      <p className={classes['count']}>
        {t(isUnset ? 'settings.mail.unset' : 'settings.mail.hint')}
      </p>
    </form>
  )
}
