import { Button, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { isRoot, type User } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useStatus } from '../../lib/status.ts'
import { useExternalSignIn } from '../../lib/use-external-sign-in.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import '../../ui/identity/messages.ts'
import classes from './account.module.css'

const DIALOGS = {
  email: async () => (await import('./bind-email-dialog.tsx')).BindEmailDialog,
  wechat: async () => (await import('./bind-wechat-dialog.tsx')).BindWeChatDialog,
} as const

export function Bindings({ user }: { user: User }) {
  const { t } = useTranslation()
  const status = useStatus()
  const start = useExternalSignIn()
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null)
  const close = () => setOpen(null)
  const root = isRoot(user.role)
  const others = [
    { way: 'github', bound: user.github_id, isOffered: status?.github_oauth === true },
    { way: 'oidc', bound: user.oidc_id, isOffered: status?.oidc === true },
    { way: 'lark', bound: user.lark_id, isOffered: status?.lark_client_id !== '' && !!status },
    { way: 'wechat', bound: user.wechat_id, isOffered: status?.wechat_login === true },
  ] as const
  const items = others
    .filter(({ bound, isOffered }) => bound !== '' || isOffered)
    .map(({ way, bound, isOffered }) => {
      const name = t(`identity.name.${way}`)
      const onBind = () => (way === 'wechat' ? setOpen('wechat') : start.mutate(way))
      return {
        name,
        value: (
          <Binding
            name={name}
            bound={bound}
            isPending={start.isPending && start.variables === way}
            {...(isOffered && !root && { onBind })}
          />
        ),
      }
    })
  const email = t('account.setting.email')
  const emailBinding = <Binding name={email} bound={user.email} onBind={() => setOpen('email')} />
  return (
    <section>
      <Title order={2}>{t('account.setting.bindings')}</Title>
      <Text c="dimmed" mb="sm">
        {t(root ? 'account.setting.rootHint' : 'account.setting.bindingsHint')}
      </Text>
      <DescriptionList items={[{ name: email, value: emailBinding }, ...items]} />
      {open !== null && (
        <LazyPart
          key={open}
          name={open === 'email' ? email : t('identity.name.wechat')}
          load={DIALOGS[open]}
          props={{ onClose: close }}
          onFail={close}
        />
      )}
    </section>
  )
}

type BindingProps = { name: string; bound: string; isPending?: boolean; onBind?: () => void }

function Binding({ name, bound, isPending = false, onBind }: BindingProps) {
  const { t } = useTranslation()
  return (
    <div className={classes['binding']}>
      {bound === '' ? (
        <span className={classes['unbound']}>{t('account.setting.unbound')}</span>
      ) : (
        <span className={classes['bound']}>{bound}</span>
      )}
      {onBind && (
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          aria-label={t(
            bound === '' ? 'account.setting.bindNamed' : 'account.setting.rebindNamed',
            { name },
          )}
          onClick={onBind}
        >
          {t(bound === '' ? 'account.setting.bind' : 'account.setting.rebind')}
        </Button>
      )}
    </div>
  )
}
