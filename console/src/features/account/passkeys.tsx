import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type Passkey, secondFactorEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { loadChunk } from '../../lib/load-chunk.ts'
import { arePasskeysSupported } from '../../lib/passkeys.ts'
import { showSuccess } from '../../lib/toast.ts'
import { browserIn } from '../../lib/user-agent.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Ago } from '../../ui/time.tsx'
import classes from './account.module.css'
import type { FactorProps } from './authenticator.tsx'
import { Block } from './block.tsx'

const loadNameDialog = async () => (await import('./passkey-name-dialog.tsx')).PasskeyNameDialog

/** `null` is a passkey about to be added. */
type Named = Passkey | null

async function create(name: string) {
  const { makePasskey } = await loadChunk('passkey', () => import('../../ui/identity/passkey.ts'))
  const { data } = await call(secondFactorEndpoints.beginPasskey, {})
  const body = { name, ...(await makePasskey(data)) }
  return (await call(secondFactorEndpoints.createPasskey, { body })).data.recovery_codes
}

export function Passkeys({ factor, onChange }: FactorProps) {
  const { t } = useTranslation()
  const title = useRef<HTMLHeadingElement>(null)
  const [named, setNamed] = useState<Named>()
  const close = () => setNamed(undefined)
  const save = async (name: string) => {
    if (named) {
      await call(secondFactorEndpoints.renamePasskey, { body: { id: named.id, name } })
      close()
      await onChange()
    } else {
      const codes = await create(name)
      close()
      await onChange(codes)
      showSuccess(t('account.passkey.added'))
    }
  }
  const remove = useMutation({
    mutationFn: ({ id }: Passkey) => call(secondFactorEndpoints.deletePasskey, { params: { id } }),
    onSuccess: async () => {
      await onChange()
      title.current?.focus()
      showSuccess(t('account.passkey.removed'))
    },
  })
  const ask = async (passkey: Passkey) => {
    const { name } = passkey
    const isLast = factor.passkeys.length === 1 && !factor.totp
    const yes = await confirm({
      title: t('account.passkey.removeTitle', { name }),
      body: t(isLast ? 'account.passkey.removeLast' : 'account.passkey.removeBody'),
      verb: t('account.passkey.removeNamed', { name }),
      danger: true,
    })
    if (yes) remove.mutate(passkey)
  }
  const isSupported = arePasskeysSupported()
  return (
    <Block
      titleRef={title}
      title={t('account.passkey.title')}
      hint={isSupported ? t('account.passkey.hint') : t('factor.passkey.unsupported')}
      action={
        isSupported && (
          <Button variant="default" onClick={() => setNamed(null)}>
            {t('account.passkey.add')}
          </Button>
        )
      }
    >
      {factor.passkeys.length > 0 && (
        <ul className={classes['rows']}>
          {factor.passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              isPending={remove.isPending && remove.variables.id === passkey.id}
              onRename={() => setNamed(passkey)}
              onRemove={() => void ask(passkey)}
            />
          ))}
        </ul>
      )}
      {named !== undefined && (
        <LazyPart
          name="passkey-name-dialog"
          load={loadNameDialog}
          props={{
            title: named ? t('account.passkey.renameTitle') : t('account.passkey.add'),
            hint: named ? undefined : t('factor.passkey.how'),
            verb: named ? t('common.action.save') : t('account.passkey.create'),
            initial: named ? named.name : browserIn(navigator.userAgent),
            onSave: save,
            onClose: close,
          }}
          onFail={close}
        />
      )}
    </Block>
  )
}

type RowProps = {
  passkey: Passkey
  isPending: boolean
  onRename: () => void
  onRemove: () => void
}

function PasskeyRow({ passkey, isPending, onRename, onRemove }: RowProps) {
  const { t } = useTranslation()
  const { name, created_time, last_used_time } = passkey
  return (
    <li className={classes['row']}>
      <div className={classes['rowText']}>
        <span className={classes['rowName']}>{name}</span>
        <span className={classes['parts']}>
          <span>
            <Ago seconds={created_time} format={(ago) => t('account.passkey.created', { ago })} />
          </span>
          <span>
            {last_used_time === 0 ? (
              t('account.passkey.unused')
            ) : (
              <Ago seconds={last_used_time} format={(ago) => t('account.passkey.used', { ago })} />
            )}
          </span>
        </span>
      </div>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('account.passkey.renameNamed', { name })}
        onClick={onRename}
      >
        {t('account.passkey.rename')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={isPending}
        aria-label={t('account.passkey.removeNamed', { name })}
        onClick={onRemove}
      >
        {t('account.security.remove')}
      </Button>
    </li>
  )
}
