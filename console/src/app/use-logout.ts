import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from '../i18n/use-translation.ts'
import { logOut } from '../lib/first-calls.ts'
import { useNavigate } from '../lib/router/router.tsx'
import { clearSession } from '../lib/session.ts'
import { showSuccess } from '../lib/toast.ts'

export function useLogout() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => logOut(),
    onSuccess: async () => {
      // Navigate first: the page's guard would store the page as the return address of the next
      // user.
      await navigate('/login')
      clearSession()
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' })
      showSuccess(t('common.frame.loggedOut'))
    },
  })
}
