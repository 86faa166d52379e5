import { useMutation, useQueryClient } from '@tanstack/react-query'
import { oauthEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { selfQuery } from '../../lib/self.ts'
import { showSuccess } from '../../lib/toast.ts'
import { WeChatDialog } from '../../ui/identity/wechat-dialog.tsx'

export function BindWeChatDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const bind = useMutation({
    mutationFn: (code: string) => call(oauthEndpoints.bindWeChat, { query: { code } }),
    onSuccess: async () => {
      onClose()
      showSuccess(t('account.setting.weChatBound'))
      await client.invalidateQueries({ queryKey: selfQuery.queryKey })
    },
  })
  return (
    <WeChatDialog
      verb={t('identity.way.bind', { name: t('identity.name.wechat') })}
      isPending={bind.isPending}
      onCode={(code) => bind.mutate(code)}
      onClose={onClose}
    />
  )
}
