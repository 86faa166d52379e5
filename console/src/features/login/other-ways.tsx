import { Button, Divider, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { oauthEndpoints, type PendingSignIn, type SessionUser } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { useExternalSignIn } from '../../lib/use-external-sign-in.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import '../../ui/identity/messages.ts'
import type { Way } from './offered-ways.ts'
import type { Target } from './target-after-login.ts'

const loadWeChatDialog = async () =>
  (await import('../../ui/identity/wechat-dialog.tsx')).WeChatDialog

type Props = {
  ways: readonly Way[]
  onSignedIn: (user: SessionUser, target: Target) => Promise<void>
  onPending: (pending: PendingSignIn, target: Target) => void
}

const HOME: Target = { to: '/', isDefaultPassword: false }

export function OtherWays({ ways, onSignedIn, onPending }: Props) {
  const { t } = useTranslation()
  const start = useExternalSignIn()
  const weChat = useMutation({
    mutationFn: (code: string) => call(oauthEndpoints.signInByWeChat, { query: { code } }),
    onSuccess: async ({ data }) => {
      if ('ticket' in data) onPending(data, HOME)
      else await onSignedIn(data, HOME)
    },
  })
  const [isWeChatOpen, setIsWeChatOpen] = useState(false)
  const closeWeChat = () => setIsWeChatOpen(false)
  const nameOf = (way: Way) => t('identity.way.login', { name: t(`identity.name.${way}`) })
  return (
    <Stack gap="sm" mt="xl" role="group" aria-label={t('identity.way.title')}>
      <Divider label={t('identity.way.title')} />
      {ways.map((way) => (
        <Button
          key={way}
          variant="default"
          loading={start.isPending && start.variables === way}
          onClick={() => (way === 'wechat' ? setIsWeChatOpen(true) : start.mutate(way))}
        >
          {nameOf(way)}
        </Button>
      ))}
      {isWeChatOpen && (
        <LazyPart
          name={t('identity.name.wechat')}
          load={loadWeChatDialog}
          props={{
            verb: nameOf('wechat'),
            isPending: weChat.isPending,
            onCode: (code) => weChat.mutate(code),
            onClose: closeWeChat,
          }}
          onFail={closeWeChat}
        />
      )}
    </Stack>
  )
}
